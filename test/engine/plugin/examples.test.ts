import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { type ExampleLanguage, exampleFiles, exampleNames, readExample } from "../../../tools/schema/examples";
import { succeed } from "../../../tools/sdks/generate";
import { campaign } from "../../support/campaign";
import type { EngineStack } from "../../support/engineStack";
import { testPlatform, testStack } from "../../support/engineTest";
import { type ProgramHost, writeProject, yaml } from "./hosts";
import { languages } from "./languages";

function writeExample(stack: EngineStack, name: string, language: ExampleLanguage): void {
  writeFileSync(join(stack.folder, exampleFiles[language]), readExample(name, language));
}

/** Checks every type, which the language host would not do. */
async function compile(stack: EngineStack, name: string): Promise<void> {
  writeExample(stack, name, "typescript");
  const compiler = join(dirname(createRequire(__filename).resolve("typescript/package.json")), "bin", "tsc");
  const flags = ["--strict", "--skipLibCheck", "--module", "node20", "--target", "es2022"];
  await succeed(process.execPath, [compiler, ...flags, "index.ts"], stack.folder);
}

/** Puts an example into a stack of this language. */
const writers: Record<string, { host: ProgramHost | undefined; write(stack: EngineStack, name: string): unknown }> = {
  TypeScript: { host: languages.generatedNode, write: compile },
  Python: { host: languages.python, write: (stack, name) => writeExample(stack, name, "python") },
  Go: { host: languages.go, write: (stack, name) => writeExample(stack, name, "go") },
  YAML: {
    host: yaml,
    write(stack, name) {
      const program = parse(readExample(name, "yaml"));
      writeProject(stack, "yaml", { ...program, name: "lifecycle" });
    },
  },
};

/** A preview runs the whole program, and the plugin checks every input. */
describe.skipIf(!campaign)("the examples of the schema", () => {
  it.each(Object.entries(writers))(
    "are right in %s",
    async (_, { host, write }) => {
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
    1_200_000,
  );
});
