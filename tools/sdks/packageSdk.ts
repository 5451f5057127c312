import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { projectRoot } from "../projectRoot";
import { catalogue } from "../toolchain/catalogue";
import { getTool } from "../toolchain/getTool";
import { pinnedVersion } from "../toolchain/pins";
import { generateSdk, runGenerationStep, type SdkLanguage } from "./generateSdk";
import { goModule } from "./goTag";

const readJson = (file: string) => JSON.parse(readFileSync(file, "utf8"));

/** Returns the path of the new package: for Go a folder, for Java a Maven repository, and otherwise a file. */
export async function packageSdk(language: SdkLanguage, folder: string): Promise<string> {
  const sources = join(folder, language);
  mkdirSync(sources, { recursive: true });
  await generateSdk(language, sources);
  return packagers[language](sources, folder);
}

/** Source maps are turned off, because the package does not contain the sources. */
const withoutMaps = ["--sourceMap", "false", "--declarationMap", "false"];

const packagers: Readonly<Record<SdkLanguage, (sources: string, folder: string) => Promise<string>>> = {
  /** The code is compiled here, so that an installation need not run any code. */
  async nodejs(sources, folder) {
    symlinkSync(join(projectRoot, "node_modules"), join(sources, "node_modules"));
    const compiler = join(dirname(createRequire(__filename).resolve("typescript/package.json")), "bin", "tsc");
    await runGenerationStep(process.execPath, [compiler, "--project", sources, ...withoutMaps], sources);
    const { scripts: _, devDependencies: __, ...manifest } = readJson(join(sources, "package.json"));
    const bin = join(sources, "bin");
    writeFileSync(
      join(bin, "package.json"),
      JSON.stringify({ ...manifest, main: "index.js", types: "index.d.ts" }, null, 2),
    );
    cpSync(join(sources, "README.md"), join(bin, "README.md"));
    addLicence(bin);
    await runGenerationStep("npm", ["pack", "--ignore-scripts", "--pack-destination", folder, bin], projectRoot);
    return written(folder, ".tgz");
  },

  async python(sources, folder) {
    cpSync(join(sources, "pulumi_docs_platform", "README.md"), join(sources, "README.md"));
    addLicence(sources);
    const python = await getTool("pulumi-python");
    const flags = ["--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir", folder];
    await runGenerationStep(python, ["-I", "-m", "pip", "wheel", ...flags, sources], sources);
    return written(folder, ".whl");
  },

  async go(sources) {
    writeFileSync(
      join(sources, "go.mod"),
      `module ${goModule()}\n\ngo 1.25.0\n\nrequire github.com/pulumi/pulumi/sdk/v3 v${engineVersion()}\n`,
    );
    addLicence(sources);
    await runGenerationStep("go", ["mod", "tidy"], sources);
    await runGenerationStep("go", ["vet", "./..."], sources);
    return sources;
  },

  async java(sources, folder) {
    const { version, language } = readJson(join(projectRoot, "plugin", "schema.json"));
    const project = readFileSync(join(__dirname, "pom.xml"), "utf8");
    writeFileSync(join(sources, "pom.xml"), project.replace("0.0.0", version));
    // The generated code reads its version from this file, so the file is written here.
    const read = [...language.java.basePackage.split("."), "docs-platform"];
    const resources = join(sources, "src", "main", "resources", ...read);
    mkdirSync(resources, { recursive: true });
    writeFileSync(join(resources, "version.txt"), version);
    const repository = join(folder, "maven");
    const target = `-DaltDeploymentRepository=sdks::default::${pathToFileURL(repository)}`;
    await runGenerationStep("mvn", ["--batch-mode", "--quiet", "deploy", "-Dmaven.install.skip=true", target], sources);
    return repository;
  },
};

/** Returns the engine's version. The generated code needs a library with this version. */
function engineVersion(): string {
  const [generator] = catalogue.filter(({ name }) => name === "pulumi-sdk-generator");
  return generator === undefined ? "" : pinnedVersion(generator);
}

function addLicence(folder: string): void {
  cpSync(join(projectRoot, "LICENSE"), join(folder, "LICENSE"));
}

function written(folder: string, ending: string): string {
  const name = readdirSync(folder).find((file) => file.endsWith(ending));
  if (name === undefined) {
    throw new Error(`${folder} has got no ${ending}`);
  }
  return join(folder, name);
}
