import { dirname, join, normalize, sep } from "node:path";
import ts from "typescript";
import { namesInTwoFiles } from "./exportedNames";
import { type ImportRule, importRules } from "./importRules";
import { sourcesIn } from "./sources";

const checkedFolders = ["sdk", "provider", "simulator", "examples", "tools", "lab"];
/** The folders in which an exported name must be unique. In examples, exports are outputs of stacks. */
const foldersOfNames = ["sdk", "provider", "simulator", "tools", "lab", "test"];

export function forbiddenImports(file: string, source: string, rules: readonly ImportRule[] = importRules): string[] {
  const found = rules.find(({ from }) => from.test(file));
  if (!found) {
    return [`${file}: no rule is for this file`];
  }
  return targetsOf(file, source)
    .filter((target) => !found.allowed.test(target))
    .map((target) => `${file}: must not import ${target}`);
}

/** Returns the imports of a file: the names of packages, and the paths of the project's modules from its root. */
function targetsOf(file: string, source: string): string[] {
  return importedNames(ts.createSourceFile(file, source, ts.ScriptTarget.Latest)).map((name) =>
    name.startsWith(".")
      ? normalize(join(dirname(file), name))
          .split(sep)
          .join("/")
      : name,
  );
}

/** Returns the specifiers of all imports and re-exports, including `import()`, `require()` and imports of types. */
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
  const sources = sourcesIn(checkedFolders);
  const problems = [
    ...[...sources].flatMap(([file, source]) => forbiddenImports(file, source)),
    ...namesInTwoFiles(sourcesIn(foldersOfNames)),
  ];
  const good = `imports: ${sources.size} files keep the directions; each exported name has one home`;
  console.log(problems.length === 0 ? good : problems.join("\n"));
  process.exitCode = problems.length === 0 && sources.size > 0 ? 0 : 1;
}

if (require.main === module) {
  main();
}
