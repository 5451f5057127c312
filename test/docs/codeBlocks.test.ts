import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { projectRoot } from "../../tools/projectRoot";

const documents = ["README.md", "simulator/README.md", "docs/guides/adopting.md"];

/** The TypeScript blocks of a document, as files that lie at the project's root. */
function codeBlocks(document: string): [name: string, source: string][] {
  const text = readFileSync(join(projectRoot, document), "utf8");
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, source = ""], index) => [
    join(projectRoot, `${document.replaceAll("/", "-")}.${index + 1}.ts`),
    source,
  ]);
}

describe("the code in the documents", () => {
  it.each(documents)("compiles: %s", (document) => {
    const blocks = new Map(codeBlocks(document));
    expect(blocks.size).toBeGreaterThan(0);
    const { config } = ts.readConfigFile(join(projectRoot, "tsconfig.json"), ts.sys.readFile);
    const { options } = ts.parseJsonConfigFileContent(config, ts.sys, projectRoot);
    const host = ts.createCompilerHost(options);
    const { fileExists, readFile, getSourceFile } = host;
    host.fileExists = (name) => blocks.has(name) || fileExists(name);
    host.readFile = (name) => blocks.get(name) ?? readFile(name);
    host.getSourceFile = (name, version, ...rest) => {
      const source = blocks.get(name);
      return source === undefined
        ? getSourceFile(name, version, ...rest)
        : ts.createSourceFile(name, source, version, true);
    };
    const problems = ts.getPreEmitDiagnostics(ts.createProgram([...blocks.keys()], options, host));
    expect(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))).toEqual([]);
  });
});
