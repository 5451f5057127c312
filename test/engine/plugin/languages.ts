import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { version } from "../../../package.json";
import { projectRoot } from "../../../tools/projectRoot";
import { runGenerationStep, type SdkLanguage } from "../../../tools/sdks/generateSdk";
import { goModule, tagGoModule } from "../../../tools/sdks/goTag";
import { packageSdk } from "../../../tools/sdks/packageSdk";
import { getTool } from "../../../tools/toolchain/getTool";
import { fingerprint } from "../../../tools/toolchain/pins";
import type { EngineStack } from "../../support/engineStack";
import { folderOfFile } from "../../support/temporaryFolder";
import {
  declareByFile,
  importStaticExport,
  type ProgramHost,
  removeNodeProgram,
  useFolder,
  writeProject,
} from "./hosts";

function copyProgram(stack: EngineStack, language: string): void {
  cpSync(join(__dirname, "programs", language), stack.folder, { recursive: true });
}

const folder = folderOfFile();
/** The paths of the packed SDK packages. A test file packs each SDK once for all its stacks. */
const published = new Map<SdkLanguage, Promise<string>>();

function publishedSdk(language: SdkLanguage): Promise<string> {
  const made = published.get(language) ?? packageSdk(language, folder);
  published.set(language, made);
  return made;
}

const generatedNode: ProgramHost = {
  name: "plugin, Node with the generated SDK",
  async prepare(stack) {
    const sdk = await publishedSdk("nodejs");
    removeNodeProgram(stack);
    const dependencies = { "pulumi-docs-platform-sdk": `file:${sdk}`, "@pulumi/pulumi": "3.270.0" };
    writeFileSync(join(stack.folder, "package.json"), JSON.stringify({ private: true, dependencies }));
    await runGenerationStep("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline"], stack.folder);
    copyProgram(stack, "nodejs");
    cpSync(join(projectRoot, "test", "support", "program", "outputs.js"), join(stack.folder, "outputs.js"));
    writeProject(stack, { name: "nodejs", options: { typescript: false } });
  },
  declare: declareByFile,
  importJob: importStaticExport,
};

const python: ProgramHost = {
  name: "plugin, Python",
  async prepare(stack) {
    const interpreter = await getTool("pulumi-python");
    useFolder(stack, dirname(interpreter));
    removeNodeProgram(stack);
    const packages = join(stack.folder, "packages");
    const wheel = await publishedSdk("python");
    // These arguments keep pip away from package registries.
    const install = ["-I", "-m", "pip", "install", "--no-deps", "--no-index", "--target", packages, wheel];
    await runGenerationStep(interpreter, install, stack.folder);
    stack.environment.PYTHONPATH = packages;
    copyProgram(stack, "python");
    writeProject(stack, "python");
  },
  declare: declareByFile,
  importJob: importStaticExport,
};

/** Go never downloads a version twice, so each schema gets its own version. */
const moduleVersion = `${version}-test.h${fingerprint(readFileSync(join(projectRoot, "plugin", "schema.json")))}`;

/** Makes a Git repository with the tag of a release. In the returned environment, Git and Go use this repository. */
async function publishedModule(place: string): Promise<NodeJS.ProcessEnv> {
  const repository = join(place, "repository");
  await runGenerationStep("git", ["init", "--quiet", repository], place);
  await runGenerationStep("git", ["config", "user.name", "test"], repository);
  await runGenerationStep("git", ["config", "user.email", "test@example.com"], repository);
  await runGenerationStep("git", ["commit", "--quiet", "--allow-empty", "-m", "Begin"], repository);
  tagGoModule(repository, await publishedSdk("go"), moduleVersion);
  const [host, owner, name] = goModule().split("/");
  return {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: `url.file://${repository}.insteadOf`,
    GIT_CONFIG_VALUE_0: `https://${host}/${owner}/${name}`,
    GOPRIVATE: `${host}/${owner}`,
  };
}

const go: ProgramHost = {
  name: "plugin, Go",
  async prepare(stack) {
    removeNodeProgram(stack);
    copyProgram(stack, "go");
    const env = await publishedModule(stack.folder);
    for (const command of [["init", "lifecycle"], ["edit", `-require=${goModule()}@v${moduleVersion}`], ["tidy"]]) {
      await runGenerationStep("go", ["mod", ...command], stack.folder, env);
    }
    writeProject(stack, "go");
  },
  declare: declareByFile,
  importJob: importStaticExport,
};

/** Maven needs half a minute for each run, so only `prepare` is used. */
export const javaSdk: Pick<ProgramHost, "prepare"> = {
  async prepare(stack) {
    useFolder(stack, dirname(await getTool("pulumi-language-java")));
    removeNodeProgram(stack);
    cpSync(join(projectRoot, "examples", "languages", "java", "pom.xml"), join(stack.folder, "pom.xml"));
    const SDKS = pathToFileURL(await publishedSdk("java")).href;
    // Maven never downloads a version twice, but the SDK may have changed. So each stack has its own local repository.
    Object.assign(stack.environment, { SDKS, MAVEN_OPTS: `-Dmaven.repo.local=${join(folder, "cache")}` });
    writeProject(stack, "java");
  },
};

export type Language = ProgramHost & { example: string };

export const languages = {
  generatedNode: { ...generatedNode, example: "nodejs/index.js" },
  python: { ...python, example: "python/__main__.py" },
  go: { ...go, example: "go/main.go" },
} satisfies Record<string, Language>;
