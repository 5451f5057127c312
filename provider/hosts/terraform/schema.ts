import { mapValues } from "../../support/objects";
import type { FunctionSchema, TerraformSchema } from "./wire/messages";
import * as messages from "./wire/messages";

/** A type in Terraform's JSON form: `"string"`, `["object", {…}]`, and `"dynamic"` for any type. */
type TypeText = unknown;

export interface AttributeSchema {
  type: TypeText;
  required?: boolean;
  optional?: boolean;
  computed?: boolean;
  sensitive?: boolean;
  description: string;
}

export interface BlockSchema {
  description: string;
  attributes: Readonly<Record<string, AttributeSchema>>;
}

export interface FunctionSignature {
  description: string;
  parameters: readonly { name: string; type: TypeText; description: string }[];
  returns: TypeText;
}

type Blocks = Readonly<Record<string, BlockSchema>>;

/** `npm run schema` generates the schema from the definitions and the SDK's docstrings. */
export interface ProviderSchema {
  provider: BlockSchema;
  resources: Blocks;
  dataSources: Blocks;
  ephemeralResources: Blocks;
  actions: Blocks;
  functions: Readonly<Record<string, FunctionSignature>>;
}

export const providerSchema: ProviderSchema = require("./schema.json");

export function schemaResponse(): messages.TerraformResponse<"GetProviderSchema"> {
  const { provider, resources, dataSources, ephemeralResources, actions } = providerSchema;
  return {
    provider: schemaOf(provider),
    resourceSchemas: mapValues(resources, (_, block) => schemaOf(block)),
    dataSourceSchemas: mapValues(dataSources, (_, block) => schemaOf(block)),
    ephemeralResourceSchemas: mapValues(ephemeralResources, (_, block) => schemaOf(block)),
    // Terraform before 1.14, and OpenTofu, do not know this field, and skip it.
    actionSchemas: mapValues(actions, (_, block) => ({ schema: schemaOf(block) })),
    functions: functionSchemas(),
    serverCapabilities: { planDestroy: true, getProviderSchemaOptional: true },
  };
}

export function functionSchemas(): Record<string, FunctionSchema> {
  return mapValues(providerSchema.functions, (_, { description, parameters, returns }) => ({
    parameters: parameters.map(({ name, type, description: about }) => ({
      name,
      type: typeBytes(type),
      // With this setting, Terraform also calls the function if members of an object are unknown. So the function can
      // check the known members.
      allowUnknownValues: type === "dynamic",
      description: about,
      descriptionKind: messages.markdownDescriptionKind,
    })),
    return: { type: typeBytes(returns) },
    summary: description.split(/(?<=\.)\s/)[0],
    description,
    descriptionKind: messages.markdownDescriptionKind,
  }));
}

function schemaOf({ description, attributes }: BlockSchema): TerraformSchema {
  const described = Object.entries(attributes).map(([name, { type, ...rest }]) => ({
    ...rest,
    name,
    type: typeBytes(type),
    descriptionKind: messages.markdownDescriptionKind,
  }));
  return { block: { attributes: described, description, descriptionKind: messages.markdownDescriptionKind } };
}

function typeBytes(type: TypeText): Uint8Array {
  return Buffer.from(JSON.stringify(type));
}
