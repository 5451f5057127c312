import ts from "typescript";
import { functions } from "../../provider/functions/index";
import { resources } from "../../provider/resources/index";
import type { SchemaObject, SchemaProperty } from "./pulumiSchema";
import type { SdkSource } from "./sdkSource";

/** TypeScript has no type for integers. A property whose name matches this pattern is an integer in the schema. */
const wholeNumber = /(Count|Bytes)$/;

/**
 * Returns the outputs that a function reads from the resource in this argument. Undefined: the argument takes no
 * resource.
 */
function readOf(argument: string): readonly string[] | undefined {
  return Object.values(functions).find(({ inputs }) => inputs[argument]?.rule.members)?.inputs[argument]?.rule.members;
}

export class TypeTranslator {
  /** The object types that the translation has found, by their tokens. */
  readonly objects: Record<string, SchemaObject> = {};

  constructor(private readonly source: SdkSource) {}

  /** @param property the name for an object type that has no name in the code. */
  translate(node: ts.TypeNode, property: string): SchemaProperty {
    const type = withoutUndefined(node);
    if (ts.isTypeReferenceNode(type)) {
      return this.#reference(type, property);
    }
    if (ts.isUnionTypeNode(type) && type.types.every(ts.isTypeLiteralNode)) {
      // With fixed keys, a generated SDK would make a class and rename the keys, but the chart reads the original keys.
      return { type: "object", additionalProperties: { $ref: "pulumi.json#/Any" } };
    }
    switch (type.kind) {
      case ts.SyntaxKind.StringKeyword:
        return { type: "string" };
      case ts.SyntaxKind.BooleanKeyword:
        return { type: "boolean" };
      case ts.SyntaxKind.NumberKeyword:
        return { type: wholeNumber.test(property) ? "integer" : "number" };
      case ts.SyntaxKind.UnknownKeyword:
        return { $ref: "pulumi.json#/Any" };
      default:
        return { type: literalType(type) };
    }
  }

  #reference(type: ts.TypeReferenceNode, property: string): SchemaProperty {
    const name = type.typeName.getText().replace(/^pulumi\./, "");
    const [argument] = type.typeArguments ?? [];
    if ((name === "Input" || name === "Output") && argument !== undefined) {
      return this.translate(argument, property);
    }
    const alias = this.source.alias(name);
    if (alias !== undefined) {
      return this.translate(alias, property);
    }
    const names = name in resources ? readOf(property) : undefined;
    const members = this.source.properties(name).filter((member) => names?.includes(member.name) ?? true);
    const description = names === undefined ? this.source.description(name) : `What is needed of an \`${name}\`.`;
    const token = `docs-platform:index:${names === undefined ? name : `${name}Link`}`;
    this.objects[token] ??= { type: "object", description, ...this.members(members) };
    return { $ref: `#/types/${token}` };
  }

  members(members: readonly { name: string; description: string; type: ts.TypeNode; optional: boolean }[]) {
    const properties = members.map(({ name, description, type }) => [
      name,
      { ...this.translate(type, name), ...(description !== "" && { description }) },
    ]);
    const required = members.filter(({ optional }) => !optional).map(({ name }) => name);
    return { properties: Object.fromEntries(properties), ...(required.length > 0 && { required }) };
  }
}

function withoutUndefined(type: ts.TypeNode): ts.TypeNode {
  const rest = ts.isUnionTypeNode(type)
    ? type.types.filter(({ kind }) => kind !== ts.SyntaxKind.UndefinedKeyword)
    : [type];
  return rest.length === 1 && rest[0] !== undefined ? rest[0] : type;
}

/** Returns the type of a literal, or of a union of literals of one type. */
function literalType(type: ts.TypeNode): "string" | "boolean" {
  const parts = ts.isUnionTypeNode(type) ? type.types : [type];
  const literals = parts.map((part) => (ts.isLiteralTypeNode(part) ? part.literal.kind : undefined));
  if (literals.every((kind) => kind === ts.SyntaxKind.StringLiteral)) {
    return "string";
  }
  if (literals.every((kind) => kind === ts.SyntaxKind.TrueKeyword || kind === ts.SyntaxKind.FalseKeyword)) {
    return "boolean";
  }
  throw new Error(`the schema has no word for the type ${type.getText()}`);
}
