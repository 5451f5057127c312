import { functions } from "../../provider/functions/index";
import type {
  AttributeSchema,
  BlockSchema,
  FunctionSignature,
  ProviderSchema,
} from "../../provider/hosts/terraform/schema";
import { terraformTypeNameOf } from "../../provider/hosts/terraform/words";
import { resources } from "../../provider/resources/index";
import { settingsAcceptedFrom } from "../../provider/settings/settingTable";
import { camelCase, snakeCase } from "../../provider/support/words";
import { argument, generateSchema } from "./generateSchema";
import type { SchemaFunction, SchemaObject, SchemaProperty, SchemaResource } from "./pulumiSchema";
import { readSource } from "./sdkSource";
import { inTermsOfTerraform } from "./terraformWords";

/** The type for a function's argument or result that may have any value. */
const dynamic = "dynamic";

export function generateTerraformSchema(): ProviderSchema {
  const pulumi = generateSchema();
  const called = (name: string) => pulumi.functions[`docs-platform:index:${name}`] as SchemaFunction;
  const toType = (property: SchemaProperty): unknown => typeOf(property, pulumi.types);
  const names = Object.keys(resources);
  const ofResource = (name: string) =>
    resourceBlock(name, pulumi.resources[`docs-platform:index:${name}`] as SchemaResource, toType);
  const statelessOf = (kind: "action" | "ephemeral") =>
    byTypeName(
      names.filter((name) => resources[name]?.stateless?.as === kind),
      (name) => stateless(name, ofResource(name)),
    );
  const lookUps = Object.keys(functions).filter((name) => functions[name]?.isLookUp);
  const computed = Object.keys(functions).filter((name) => !lookUps.includes(name));
  const source = readSource();
  return {
    provider: {
      description: inTermsOfTerraform(
        "How to reach the platform. An argument of this block goes before the environment.",
      ),
      attributes: Object.fromEntries(
        settingsAcceptedFrom("argument").map((setting) => [
          snakeCase(setting.name),
          {
            ...attribute(argument(setting, source), toType),
            // A map accepts every key. So the check of the setting, and not the schema, refuses an unknown operation.
            ...(setting.texts && { type: ["map", "string"] }),
            optional: true,
          },
        ]),
      ),
    },
    resources: byTypeName(names, ofResource),
    dataSources: byTypeName(lookUps, (name) => dataSource(called(name), toType)),
    ephemeralResources: statelessOf("ephemeral"),
    actions: statelessOf("action"),
    functions: Object.fromEntries(computed.map((name) => [snakeCase(name), signature(called(name), toType)])),
  };
}

function byTypeName(names: readonly string[], make: (name: string) => BlockSchema): Record<string, BlockSchema> {
  return Object.fromEntries(names.map((name) => [terraformTypeNameOf(name.replace(/^get/, "")), make(name)]));
}

function resourceBlock(
  name: string,
  described: SchemaResource,
  toType: (property: SchemaProperty) => unknown,
): BlockSchema {
  const definition = resources[name];
  const attributes: Record<string, AttributeSchema> = {
    id: {
      type: "string",
      computed: true,
      description: "As Terraform shows the resource while it works.",
    },
  };
  for (const [property, input] of Object.entries(described.inputProperties)) {
    const { required, fill } = definition?.inputs[property] ?? {};
    const isOutput = definition?.outputs.includes(property) ?? false;
    attributes[snakeCase(property)] = {
      ...attribute(input, toType),
      // If a check fills in the value, the attribute is optional and computed.
      ...(required && fill === undefined ? { required: true } : { optional: true }),
      ...((isOutput || fill !== undefined) && { computed: true }),
    };
  }
  for (const [property, output] of Object.entries(described.properties)) {
    attributes[snakeCase(property)] ??= { ...attribute(output, toType), computed: true };
  }
  return { description: inTermsOfTerraform(described.description ?? ""), attributes };
}

function dataSource(
  { description, inputs, outputs }: SchemaFunction,
  toType: (property: SchemaProperty) => unknown,
): BlockSchema {
  const attributes: Record<string, AttributeSchema> = {};
  for (const [name, input] of Object.entries(inputs.properties)) {
    const isRequired = inputs.required?.includes(name) ?? false;
    attributes[snakeCase(name)] = {
      ...attribute(input, toType),
      ...(isRequired ? { required: true } : { optional: true }),
    };
  }
  for (const [name, output] of Object.entries(outputs.properties)) {
    attributes[snakeCase(name)] ??= { ...attribute(output, toType), computed: true };
  }
  return { description: inTermsOfTerraform(description ?? ""), attributes };
}

/** Returns the block of an action or an ephemeral resource. Both have no state, and an action also has no outputs. */
function stateless(resource: string, { attributes }: BlockSchema): BlockSchema {
  const { inputs, stateless: facts } = resources[resource] as (typeof resources)[string];
  const isAction = facts?.as === "action";
  const isKept = (name: string) => name !== "id" && !facts?.without.includes(name) && (!isAction || name in inputs);
  const entries = Object.entries(attributes).filter(([name]) => isKept(camelCase(name)));
  const kept = entries.map(([name, { computed, ...given }]) => [
    name,
    isAction || !computed ? given : { ...given, computed },
  ]);
  return { description: facts?.description ?? "", attributes: Object.fromEntries(kept) };
}

/** Returns the signature of a function. It has one argument: the function's only input, or an object of all inputs. */
function signature(
  { description, inputs, outputs }: SchemaFunction,
  toType: (property: SchemaProperty) => unknown,
): FunctionSignature {
  const given = Object.entries(inputs.properties);
  const [[name, only] = ["", {}]] = given;
  const members = given.map(([member, { description: text }]) => `\`${snakeCase(member)}\`: ${text ?? ""}`);
  const parameter =
    given.length === 1
      ? { name: snakeCase(name), type: toType(only), description: inTermsOfTerraform(only.description ?? "") }
      : { name: "args", type: dynamic, description: inTermsOfTerraform(`An object. ${members.join(" ")}`) };
  const results = outputs.properties;
  // Terraform has no type for an object with unknown attributes. If a result is such an object, the type is dynamic.
  const isPlain = Object.values(results).every(({ type }) => type !== "object");
  return {
    description: inTermsOfTerraform(description ?? ""),
    parameters: [parameter],
    returns: isPlain ? ["object", types(results, toType)] : dynamic,
  };
}

function attribute(described: SchemaProperty, toType: (property: SchemaProperty) => unknown): AttributeSchema {
  return {
    type: toType(described),
    ...(described.secret && { sensitive: true }),
    description: inTermsOfTerraform(described.description ?? ""),
  };
}

function types(
  properties: Record<string, SchemaProperty>,
  toType: (property: SchemaProperty) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(properties).map(([name, property]) => [snakeCase(name), toType(property)]));
}

function typeOf({ type, $ref }: SchemaProperty, objects: Record<string, SchemaObject>): unknown {
  if ($ref === "pulumi.json#/Any") {
    return dynamic;
  }
  const object = objects[$ref?.replace("#/types/", "") ?? ""];
  if (object !== undefined) {
    return ["object", types(object.properties, (property) => typeOf(property, objects))];
  }
  const simple: Record<string, string> = { string: "string", boolean: "bool", integer: "number", number: "number" };
  const found = simple[type ?? ""];
  if (found === undefined) {
    throw new Error(`Terraform has no type for ${type ?? $ref}`);
  }
  return found;
}
