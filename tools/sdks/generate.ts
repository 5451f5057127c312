import { join } from "node:path";
import { runTool } from "../processes/runTool";
import { projectRoot } from "../projectRoot";
import { getTool } from "../toolchain/getTool";

export type SdkLanguage = "nodejs" | "python" | "go";

/**
 * Writes an SDK of the plugin, from its committed schema, by the code generators of the pinned engine.
 * @param folder gets the files; what lies there stays.
 * @throws Error with every fault of the schema.
 */
export async function generateSdk(language: SdkLanguage, folder: string): Promise<void> {
  const generator = await getTool("pulumi-sdk-generator");
  const schema = join(projectRoot, "plugin", "schema.json");
  await succeed(generator, ["-schema", schema, "-language", language, "-out", folder], projectRoot);
}

/**
 * Runs a step of making an SDK.
 * @throws Error with the whole output if it fails.
 */
export async function succeed(
  file: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = {},
): Promise<void> {
  const { ok, output, problem } = await runTool(file, args, { cwd, env });
  if (!ok) {
    throw new Error(`${file} ${args.join(" ")}: ${problem}\n${output}`);
  }
}
