import { join } from "node:path";
import { buildGoTool } from "../goTools/buildGoTool.js";
import { projectRoot } from "../projectRoot.js";
import { runTool } from "../pulumi/runTool.js";

/** A language whose SDK can be generated. */
export type SdkLanguage = "nodejs" | "python" | "go";

/**
 * Writes an SDK of the plugin, from its committed schema, by the code generators of the pinned engine.
 * @param folder gets the files; what lies there stays.
 * @throws Error with every fault of the schema.
 */
export async function generateSdk(language: SdkLanguage, folder: string): Promise<void> {
  const generator = await buildGoTool({
    name: "pulumi-sdk-generator",
    folder: join(__dirname, "generator"),
    module: "github.com/pulumi/pulumi/pkg/v3",
    package: ".",
    variables: (version) => ({ "main.version": version }),
    versionArguments: ["-version"],
    buildTime: "about three minutes",
  });
  const schema = join(projectRoot, "plugin", "schema.json");
  const outcome = await runTool(generator, ["-schema", schema, "-language", language, "-out", folder], {
    cwd: projectRoot,
  });
  if (!outcome.ok) {
    throw new Error(`the ${language} SDK was not generated: ${outcome.output}`);
  }
}
