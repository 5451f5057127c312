import ts from "typescript";

/** Returns a line for each exported name that two files declare, because a name must have only one meaning. */
export function namesInTwoFiles(sources: ReadonlyMap<string, string>): string[] {
  const declaring = new Map<string, string[]>();
  for (const [file, source] of sources) {
    for (const name of exportedNames(ts.createSourceFile(file, source, ts.ScriptTarget.Latest))) {
      const files = declaring.get(name) ?? [];
      declaring.set(name, [...files.filter((other) => other !== file), file]);
    }
  }
  return [...declaring].filter(([, files]) => files.length > 1).map(([name, files]) => `${files.join(", ")}: ${name}`);
}

function exportedNames(file: ts.SourceFile): string[] {
  return file.statements.flatMap((statement) => {
    const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
    const kinds = modifiers.map(({ kind }) => kind);
    if (!kinds.includes(ts.SyntaxKind.ExportKeyword) || kinds.includes(ts.SyntaxKind.DefaultKeyword)) {
      return [];
    }
    const declarations = ts.isVariableStatement(statement) ? statement.declarationList.declarations : [statement];
    return declarations.flatMap((declaration) => {
      const { name } = declaration as { name?: ts.Node };
      return name && ts.isIdentifier(name) ? [name.text] : [];
    });
  });
}
