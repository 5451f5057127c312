import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative, sep } from "node:path";
import ts from "typescript";
import { projectRoot } from "../projectRoot";
import { type ImportRule, importRules } from "./importRules";

const checkedFolders = ["sdk", "provider", "simulator", "examples", "tools", "bench"];

/** Every import of a file that its rule does not allow, as one line each. */
export function forbiddenImports(file: string, source: string, rules: readonly ImportRule[] = importRules): string[] {
  const found = rules.find(({ from }) => from.test(file));
  if (!found) {
    return [`${file}: no rule is for this file`];
  }
  return ts
    .preProcessFile(source, true, true)
    .importedFiles.map(({ fileName }) => fileName)
    .map((name) =>
      name.startsWith(".")
        ? normalize(join(dirname(file), name))
            .split(sep)
            .join("/")
        : name,
    )
    .filter((target) => !found.allowed.test(target))
    .map((target) => `${file}: must not import ${target}`);
}

function main(): void {
  const files = checkedFolders.flatMap((folder) => {
    try {
      return readdirSync(join(projectRoot, folder), { recursive: true, withFileTypes: true });
    } catch {
      return [];
    }
  });
  const sources = files
    .filter(
      (entry) => entry.isFile() && /\.(ts|cts|mts)$/.test(entry.name) && !entry.parentPath.includes("node_modules"),
    )
    .map((entry) => relative(projectRoot, join(entry.parentPath, entry.name)).split(sep).join("/"));
  const problems = sources.flatMap((file) => forbiddenImports(file, readFileSync(join(projectRoot, file), "utf8")));
  console.log(problems.length === 0 ? `import directions: ${sources.length} files are good` : problems.join("\n"));
  process.exitCode = problems.length === 0 && sources.length > 0 ? 0 : 1;
}

if (require.main === module) {
  main();
}
