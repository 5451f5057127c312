import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { filesIn } from "../filesIn";
import { projectRoot } from "../projectRoot";
import { catalogue, type ToolName } from "./catalogue";

/** The tools that a file itself requests, and the files that it imports. Imports of types are left out. */
interface Source {
  readonly tools: readonly ToolName[];
  readonly imports: readonly string[];
}

const sources = new Map<string, Source>();

/** Returns the tools that a file of the project requests, directly or through its imports. */
export function toolsNeededBy(file: string): Set<ToolName> {
  const files = new Set([join(projectRoot, file)]);
  const tools = new Set<ToolName>();
  // This loop also visits the files that are added to the set during the loop.
  for (const each of files) {
    const source = read(each);
    for (const tool of source.tools) {
      tools.add(tool);
    }
    for (const imported of source.imports) {
      files.add(imported);
    }
  }
  return tools;
}

/** Returns every test file, by its path from the project's root. */
export function testFiles(): string[] {
  return ["lab", "test"].flatMap((folder) =>
    filesIn(join(projectRoot, folder))
      .filter((name) => name.endsWith(".test.ts"))
      .map((name) => `${folder}/${name}`),
  );
}

function read(file: string): Source {
  const known = sources.get(file);
  if (known !== undefined) {
    return known;
  }
  const text = readFileSync(file, "utf8");
  const asked = [...text.matchAll(/\bgetTool\("([^"]+)"\)|\b(findPulumi)\(\)/g)];
  const names = asked.map(([_, name, pulumi]) => (pulumi ? "pulumi" : name));
  const imports = [...text.matchAll(/^(?:import|export) (?!type )[^;]*?from "(\.[^"]+)"|import\("(\.[^"]+)"\)/gm)]
    .map(([_, first, second]) => join(dirname(file), first ?? second ?? "").replace(/\.m?js$/, ""))
    // Many files import getTool.ts, which calls `findPulumi()`, but few of these files need Pulumi.
    .filter((target) => !relative(projectRoot, target).startsWith(join("tools", "toolchain")))
    .flatMap((target) => ["", ".ts", ".mts", "/index.ts"].map((ending) => `${target}${ending}`))
    .filter((target) => /\.m?ts$/.test(target) && existsSync(target));
  const source = { tools: catalogue.map(({ name }) => name).filter((name) => names.includes(name)), imports };
  sources.set(file, source);
  return source;
}
