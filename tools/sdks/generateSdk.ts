import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { runTool } from "../processes/runTool";
import { projectRoot } from "../projectRoot";
import { getTool } from "../toolchain/getTool";

export type SdkLanguage = "nodejs" | "python" | "go" | "java";

const schema = join(projectRoot, "plugin", "schema.json");

/** Writes an SDK from the committed schema. Existing files stay. The error contains every fault of the schema. */
export async function generateSdk(language: SdkLanguage, folder: string): Promise<void> {
  if (language === "java") {
    return generateJava(folder);
  }
  const generator = await getTool("pulumi-sdk-generator");
  await runGenerationStep(generator, ["-schema", schema, "-language", language, "-out", folder], projectRoot);
}

/** The engine calls the language host of Java, which contains the generator. */
async function generateJava(folder: string): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "pulumi-home-"));
  try {
    const host = dirname(await getTool("pulumi-language-java"));
    const env = {
      PATH: `${host}${delimiter}${process.env.PATH}`,
      PULUMI_HOME: home,
      PULUMI_SKIP_UPDATE_CHECK: "true",
    };
    const made = join(home, "sdk");
    const args = ["package", "gen-sdk", schema, "--language", "java", "--out", made];
    await runGenerationStep(await getTool("pulumi"), args, home, env);
    cpSync(join(made, "java", "src"), join(folder, "src"), { recursive: true });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** @throws Error with the step's whole output, if the step fails. */
export async function runGenerationStep(
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
