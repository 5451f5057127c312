import { join } from "node:path";
import { runTool } from "../processes/runTool";
import { projectRoot } from "../projectRoot";
import { getTool } from "../toolchain/getTool";

/** A language whose SDK can be generated. */
export type SdkLanguage = "nodejs" | "python" | "go";

/**
 * Writes an SDK of the plugin, from its committed schema, by the code generators of the pinned engine.
 * @param folder gets the files; what lies there stays.
 * @throws Error with every fault of the schema.
 */
export async function generateSdk(language: SdkLanguage, folder: string): Promise<void> {
  const generator = await getTool("pulumi-sdk-generator");
  const schema = join(projectRoot, "plugin", "schema.json");
  const outcome = await runTool(generator, ["-schema", schema, "-language", language, "-out", folder], {
    cwd: projectRoot,
  });
  if (!outcome.ok) {
    throw new Error(`the ${language} SDK was not generated: ${outcome.output}`);
  }
}

/** `npm run sdks`: writes the SDKs of all languages into the given folder, one folder each. */
async function main(): Promise<void> {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) {
    throw new Error("give the folder that gets the SDKs");
  }
  for (const language of ["nodejs", "python", "go"] as const) {
    await generateSdk(language, join(folder, language));
    console.log(join(folder, language));
  }
}

if (require.main === module) {
  main().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  });
}
