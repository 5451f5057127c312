import { readFileSync } from "node:fs";
import { dirname, join, normalize, sep } from "node:path";
import ts from "typescript";
import { filesIn } from "../filesIn";
import { projectRoot } from "../projectRoot";
import { type ImportRule, importRules } from "./importRules";

const checkedFolders = ["sdk", "provider", "simulator", "examples", "tools", "bench"];

/** Every import of a file that its rule does not allow, as one line each. */
export function forbiddenImports(file: string, source: string, rules: readonly ImportRule[] = importRules): string[] {
  const found = rules.find(({ from }) => from.test(file));
  if (!found) {
    return [`${file}: no rule is for this file`];
  }
  return importedNames(ts.createSourceFile(file, source, ts.ScriptTarget.Latest))
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

/** What a file imports or exports from elsewhere, also by `import()`, `require()` and in types. */
function importedNames(file: ts.SourceFile): string[] {
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    const name = specifierOf(node);
    if (name && ts.isStringLiteral(name)) {
      names.push(name.text.replace(/(?<=^\..*)\.js$/, ""));
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return names;
}

function specifierOf(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
    return node.moduleSpecifier;
  }
  if (ts.isImportTypeNode(node)) {
    return ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined;
  }
  const imports =
    ts.isCallExpression(node) &&
    (node.expression.kind === ts.SyntaxKind.ImportKeyword ||
      (ts.isIdentifier(node.expression) && node.expression.text === "require"));
  return imports ? node.arguments[0] : undefined;
}

function main(): void {
  const files = checkedFolders.flatMap((folder) => {
    try {
      return filesIn(join(projectRoot, folder)).map((file) => `${folder}/${file}`);
    } catch {
      return [];
    }
  });
  const sources = files.filter((file) => /\.(ts|cts|mts)$/.test(file) && !file.includes("/node_modules/"));
  const problems = sources.flatMap((file) => forbiddenImports(file, readFileSync(join(projectRoot, file), "utf8")));
  console.log(problems.length === 0 ? `import directions: ${sources.length} files are good` : problems.join("\n"));
  process.exitCode = problems.length === 0 && sources.length > 0 ? 0 : 1;
}

if (require.main === module) {
  main();
}
