import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { projectRoot } from "../projectRoot";

export interface DeclaredProperty {
  name: string;
  description: string;
  type: ts.TypeNode;
  optional: boolean;
}

/** The declarations and docstrings that the schema needs from the TypeScript sources. */
export interface SdkSource {
  /** Returns the docstring of a class, an interface, a function or a constant of the SDK. */
  description(name: string): string;
  /** Returns the properties of an interface of the SDK, or the outputs of a class. */
  properties(name: string): DeclaredProperty[];
  /** Returns the type that a type alias of the SDK stands for, or undefined if the name is not an alias. */
  alias(name: string): ts.TypeNode | undefined;
  /** Returns the arguments and the result of a function of the SDK. */
  signature(name: string): { inputs: DeclaredProperty[]; outputs: DeclaredProperty[] };
  /** Returns the docstring of a constant in the provider's settings. */
  setting(name: string): string;
}

export function readSource(): SdkSource {
  const ofSdk = declarations(filesOf("sdk"));
  const ofSettings = declarations([join(projectRoot, "provider", "settings", "settingTable.ts")]);

  const properties = (name: string) => membersOf(find(ofSdk, name)).filter((member) => !member.name.startsWith("_"));

  return {
    description: (name) => describe(find(ofSdk, name)),
    properties,
    signature: (name) => {
      const { parameters, type } = find(ofSdk, name) as ts.FunctionDeclaration;
      const inputs = parameters.flatMap((parameter) => (parameter.type ? inputsOf(parameter, parameter.type) : []));
      return { inputs, outputs: type === undefined ? [] : properties(innermost(type)) };

      function inputsOf(parameter: ts.ParameterDeclaration, node: ts.TypeNode): DeclaredProperty[] {
        if (!ts.isIdentifier(parameter.name)) {
          return properties(node.getText());
        }
        const [tag] = ts.getJSDocParameterTags(parameter);
        const description = ts.getTextOfJSDocComment(tag?.comment) ?? "";
        return [{ name: parameter.name.text, description, type: node, optional: false }];
      }
    },
    alias: (name) => {
      const found = ofSdk.get(name);
      return found && ts.isTypeAliasDeclaration(found) ? found.type : undefined;
    },
    setting: (name) => describe(find(ofSettings, name)),
  };
}

function filesOf(folder: string): string[] {
  return readdirSync(join(projectRoot, folder))
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(projectRoot, folder, name));
}

function declarations(files: readonly string[]): Map<string, ts.Node> {
  const found = new Map<string, ts.Node>();
  const parse = (file: string) => ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  for (const statement of files.flatMap((file) => [...parse(file).statements])) {
    if (ts.isVariableStatement(statement)) {
      for (const declaration of statement.declarationList.declarations) {
        found.set(declaration.name.getText(), declaration);
      }
    } else if ("name" in statement && statement.name !== undefined) {
      found.set((statement.name as ts.Identifier).text, statement);
    }
  }
  return found;
}

function find(declared: ReadonlyMap<string, ts.Node>, name: string): ts.Node {
  const found = declared.get(name);
  if (found === undefined) {
    throw new Error(`the sources declare no ${name}`);
  }
  return found;
}

function membersOf(node: ts.Node): DeclaredProperty[] {
  if (!ts.isInterfaceDeclaration(node) && !ts.isClassDeclaration(node)) {
    return [];
  }
  return [...node.members].flatMap((member) =>
    (ts.isPropertySignature(member) || ts.isPropertyDeclaration(member)) && member.type !== undefined
      ? [
          {
            name: member.name.getText(),
            description: describe(member),
            type: member.type,
            optional: member.questionToken !== undefined || mayBeUndefined(member.type),
          },
        ]
      : [],
  );
}

/** Returns the name of the type inside `Promise<…>` or `pulumi.Output<…>`. */
function innermost(type: ts.TypeNode): string {
  const [argument] = ts.isTypeReferenceNode(type) ? (type.typeArguments ?? []) : [];
  return argument === undefined ? type.getText() : innermost(argument);
}

/** Returns true for `Output<string | undefined>`, and also for `string | undefined`. */
function mayBeUndefined(type: ts.TypeNode): boolean {
  return /\bundefined\b/.test(type.getText());
}

/** Returns a docstring as Markdown. Lines that were broken only because of the source's width are joined. */
function describe(node: ts.Node): string {
  // The docstring of a constant is at the statement that contains the declaration.
  const documented = ts.isVariableDeclaration(node) ? node.parent.parent : node;
  const comments = ts.getJSDocCommentsAndTags(documented).filter((part) => ts.isJSDoc(part));
  const text = ts.getTextOfJSDocComment(comments.at(-1)?.comment) ?? "";
  return text
    .replace(/\{@link (\w+)\}/g, "`$1`")
    .replace(/(?<!\n)\n(?!\n|[-*] )/g, " ")
    .trim();
}
