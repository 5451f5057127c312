import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";
import { expect } from "vitest";
import { generateSdk } from "../../../tools/commands/sdks";
import { runModule } from "../../../tools/processes/runTool";
import { getTool } from "../../../tools/toolchain/getTool";
import type { EngineStack } from "../../support/engineStack";
import { declareByFile, type Host, importById, removeNodeProgram, useFolder, writeProject } from "./hosts";

function copyProgram(stack: EngineStack, language: string): void {
  cpSync(join(__dirname, "programs", language), stack.folder, { recursive: true });
}

/** The generated SDK is TypeScript; a package manager would compile it where it is installed. */
function compileSdk(folder: string): void {
  const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 };
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (name.endsWith(".ts") && !name.startsWith("node_modules")) {
      const file = join(folder, name);
      const { outputText } = ts.transpileModule(readFileSync(file, "utf8"), { compilerOptions });
      const output = join(folder, "bin", name.replace(/\.ts$/, ".js"));
      mkdirSync(join(output, ".."), { recursive: true });
      writeFileSync(output, outputText);
    }
  }
  cpSync(join(folder, "package.json"), join(folder, "bin", "package.json"));
}

const generatedNode: Host = {
  name: "plugin, Node with the generated SDK",
  async prepare(stack) {
    const sdk = join(stack.folder, "node_modules", "pulumi-docs-platform-sdk");
    await generateSdk("nodejs", sdk);
    compileSdk(sdk);
    copyProgram(stack, "nodejs");
    writeProject(stack, { name: "nodejs", options: { typescript: false } });
  },
  declare: declareByFile,
  importJob: importById,
};

const python: Host = {
  name: "plugin, Python",
  async prepare(stack) {
    const interpreter = await getTool("pulumi-python");
    useFolder(stack, dirname(interpreter));
    useFolder(stack, dirname(await getTool("pulumi-language-python")));
    removeNodeProgram(stack);
    const [sdk, packages] = [join(stack.folder, "sdk"), join(stack.folder, "packages")];
    await generateSdk("python", sdk);
    // As pip installs it, and from nowhere else.
    const install = ["pip", "install", "--no-deps", "--no-index", "--no-build-isolation", "--target", packages, sdk];
    const { ok, output } = await runModule(interpreter, install, { cwd: stack.folder });
    expect(ok, output).toBe(true);
    stack.environment.PYTHONPATH = packages;
    copyProgram(stack, "python");
    writeProject(stack, "python");
  },
  declare: declareByFile,
  importJob: importById,
};

const go: Host = {
  name: "plugin, Go",
  async prepare(stack) {
    useFolder(stack, dirname(await getTool("pulumi-language-go")));
    removeNodeProgram(stack);
    copyProgram(stack, "go");
    const sdk = join(stack.folder, "sdk");
    await generateSdk("go", sdk);
    const { 0: pin } =
      /github.com\/pulumi\/pulumi\/sdk\/v3 v\S+/.exec(readFileSync(join(stack.folder, "go.mod"), "utf8")) ?? [];
    writeFileSync(
      join(sdk, "go.mod"),
      `module github.com/pulumi-docs-platform/pulumi-docs-platform/sdk/go/docsplatform\n\ngo 1.25.0\n\nrequire ${pin}\n`,
    );
    writeProject(stack, "go");
  },
  declare: declareByFile,
  importJob: importById,
};

/** A language whose SDK is generated, with the program of its example. */
export type Language = Host & { example: string };

export const languages = {
  generatedNode: { ...generatedNode, example: "nodejs/index.js" },
  python: { ...python, example: "python/__main__.py" },
  go: { ...go, example: "go/main.go" },
} satisfies Record<string, Language>;
