import { dirname, join, normalize, sep } from "node:path";
import ts from "typescript";
import { namesInTwoFiles } from "./exportedNames";
import { type ImportRule, importRules } from "./importRules";
import { sourcesIn } from "./sources";

const checkedFolders = ["sdk", "provider", "simulator", "examples", "tools", "lab"];
/** Examples are left out: what they export are outputs of stacks. */
const foldersOfNames = ["sdk", "provider", "simulator", "tools", "lab", "test"];

/** Returns every forbidden import of a file, one line each. */
export function forbiddenImports(file: string, source: string, rules: readonly ImportRule[] = importRules): string[] {
  const found = rules.find(({ from }) => from.test(file));
  if (!found) {
    return [`${file}: no rule is for this file`];
  }
  return targetsOf(file, source)
    .filter((target) => !found.allowed.test(target))
    .map((target) => `${file}: must not import ${target}`);
}

/** The files, and the folders of what is published, that lead back to themselves by their imports, as one line each. */
export function circles(sources: ReadonlyMap<string, string>): string[] {
  const published = new Map([...sources].filter(([file]) => /^(sdk|provider)\//.test(file)));
  return [...circlesBetween(sources, moduleName), ...circlesBetween(published, folderName)];
}

function circlesBetween(sources: ReadonlyMap<string, string>, nameOf: (file: string) => string): string[] {
  const targets = new Map<string, Set<string>>();
  for (const [file, source] of sources) {
    const others = targetsOf(file, source).map(nameOf);
    targets.set(nameOf(file), new Set([...(targets.get(nameOf(file)) ?? []), ...others]));
  }
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (module: string, way: readonly string[]): void => {
    if (way.at(-1) === module) {
      return;
    }
    if (way.includes(module)) {
      found.push(`${[...way.slice(way.indexOf(module)), module].join(" → ")}: a circle`);
    } else if (!done.has(module)) {
      for (const target of targets.get(module) ?? []) {
        visit(target, [...way, module]);
      }
      done.add(module);
    }
  };
  for (const module of targets.keys()) {
    visit(module, []);
  }
  return found;
}

function moduleName(file: string): string {
  return file.replace(/\.[cm]?ts$/, "").replace(/\/index$/, "");
}

/** The folder of a file; in `provider` the one below it, and in `provider/hosts` that of the host. */
function folderName(file: string): string {
  return /^(provider\/hosts\/[^/]+|provider\/[^/]+|sdk)\//.exec(file)?.[1] ?? file;
}

/** The imports of a file: names of packages, and modules of the project by their paths from its root. */
function targetsOf(file: string, source: string): string[] {
  return importedNames(ts.createSourceFile(file, source, ts.ScriptTarget.Latest)).map((name) =>
    name.startsWith(".")
      ? normalize(join(dirname(file), name))
          .split(sep)
          .join("/")
      : name,
  );
}

/** The specifiers of all imports and re-exports of a file, also by `import()`, `require()` and in types. */
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
    ...circles(sources),
    ...namesInTwoFiles(sourcesIn(foldersOfNames)),
  ];
  const good = `imports: ${sources.size} files keep the directions, without a circle; each exported name has one home`;
  console.log(problems.length === 0 ? good : problems.join("\n"));
  process.exitCode = problems.length === 0 && sources.size > 0 ? 0 : 1;
}

if (require.main === module) {
  main();
}
