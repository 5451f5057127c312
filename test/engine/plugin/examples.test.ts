import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { type ExampleLanguage, exampleFiles, exampleNames, readExample } from "../../../tools/schema/examples";
import { runGenerationStep } from "../../../tools/sdks/generateSdk";
import { campaign } from "../../support/campaign";
import type { EngineStack } from "../../support/engineStack";
import { testPlatform, testStack } from "../../support/engineTest";
import { hasTool } from "../../support/requireTool";
import { type ProgramHost, writeProject, yaml } from "./hosts";
import { javaSdk, languages } from "./languages";

function writeExample(stack: EngineStack, name: string, language: ExampleLanguage): void {
  writeFileSync(join(stack.folder, exampleFiles[language]), readExample(name, language));
}

/** The language host does not check the types. */
async function compile(stack: EngineStack, name: string): Promise<void> {
  writeExample(stack, name, "typescript");
  const compiler = join(dirname(createRequire(__filename).resolve("typescript/package.json")), "bin", "tsc");
  const flags = ["--strict", "--skipLibCheck", "--module", "node20", "--target", "es2022"];
  await runGenerationStep(process.execPath, [compiler, ...flags, "index.ts"], stack.folder);
}

interface Writer {
  host: Pick<ProgramHost, "prepare"> | undefined;
  write(stack: EngineStack, name: string): unknown;
}

const writers: Record<string, Writer> = {
  TypeScript: { host: languages.generatedNode, write: compile },
  Python: { host: languages.python, write: (stack, name) => writeExample(stack, name, "python") },
  Go: { host: languages.go, write: (stack, name) => writeExample(stack, name, "go") },
  Java: {
    host: javaSdk,
    write(stack, name) {
      const folder = join(stack.folder, "src", "main", "java");
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, exampleFiles.java), readExample(name, "java"));
    },
  },
  YAML: {
    host: yaml,
    write(stack, name) {
      const program = parse(readExample(name, "yaml"));
      writeProject(stack, "yaml", { ...program, name: "lifecycle" });
    },
  },
};

/** A preview runs the whole program, and the plugin then checks every input. */
describe.skipIf(!campaign)("the examples of the schema", () => {
  it.for(Object.entries(writers))(
    "are right in %s",
    { timeout: 1_200_000 },
    async ([language, { host, write }], { skip }) => {
      skip(language === "Java" && !hasTool("mvn"), "this machine has no mvn");
      const platform = await testPlatform({ agentJobs: [{ projectId: "docs", id: "job-1" }] });
      const stack = await testStack(platform, {});
      await host?.prepare(stack);
      for (const name of exampleNames()) {
        await write(stack, name);
        const { code, output } = await stack.preview();
        expect(code, `${name}: ${output}`).toBe(0);
        expect(output, name).toContain("--outputs:--");
      }
    },
  );
});
