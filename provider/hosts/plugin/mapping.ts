import { snakeCase } from "../../support/words";
import type { PluginResponse } from "./messages";

type Properties = Readonly<Record<string, { readonly type?: string; readonly $ref?: string }>>;

interface Described {
  readonly properties: Properties;
}

interface Schema {
  readonly version: string;
  readonly provider: { readonly inputProperties: Properties };
  readonly types: Readonly<Record<string, Described>>;
  readonly resources: Readonly<Record<string, Described & { readonly inputProperties: Properties }>>;
  readonly functions: Readonly<Record<string, { readonly inputs: Described; readonly outputs: Described }>>;
}

const name = "docsplatform";

/** Types of attributes, by their numbers in pulumi-terraform-bridge. */
const types: Readonly<Record<string, number>> = { boolean: 1, integer: 2, number: 3, string: 4 };
/** A value of any type counts as a map: a converter keeps the keys of maps, and renames those of objects. */
const map = 6;

/**
 * Answers a converter from Terraform: which resource and property is which of Terraform. This is what the marshalled
 * `ProviderInfo` of pulumi-terraform-bridge has, as far as converters read it.
 */
export function mappingResponse(key = "", provider = ""): PluginResponse<"GetMapping"> {
  const isOurs = isKnownKey(key) && ["", name].includes(provider);
  return isOurs ? { provider: name, data: Buffer.from(JSON.stringify(mappingOf(require("#schema")))) } : {};
}

export function mappingsResponse(key = ""): PluginResponse<"GetMappings"> {
  return { providers: isKnownKey(key) ? [name] : [] };
}

function isKnownKey(key: string): boolean {
  return key === "terraform";
}

function mappingOf({ version, provider, types: objects, resources, functions }: Schema): object {
  const attributes = (properties: Properties): object =>
    Object.fromEntries(
      Object.entries(properties).map(([property, { type = "", $ref = "" }]) => {
        const object = objects[$ref.replace("#/types/", "")];
        const element = object && { element: { resource: attributes(object.properties) } };
        return [snakeCase(property), { type: types[type] ?? map, ...element }];
      }),
    );
  const blocks = new Map(
    Object.entries(resources).map(([token, described]) => [
      token,
      attributes({ ...described.properties, ...described.inputProperties }),
    ]),
  );
  const lookUps = new Map(
    Object.entries(functions)
      .filter(([token]) => /:get\w+$/.test(token))
      .map(([token, { inputs, outputs }]) => [token, attributes({ ...outputs.properties, ...inputs.properties })]),
  );
  return {
    name,
    version,
    provider: {
      schema: attributes(provider.inputProperties),
      resources: byTypeName(blocks, (_, block) => block),
      dataSources: byTypeName(lookUps, (_, block) => block),
    },
    resources: byTypeName(blocks, (tok) => ({ tok })),
    dataSources: byTypeName(lookUps, (tok) => ({ tok })),
  };
}

function byTypeName(members: ReadonlyMap<string, object>, value: (token: string, block: object) => object): object {
  return Object.fromEntries(
    [...members].map(([token, block]) => [`${name}${snakeCase(token.replace(/^.*:(get)?/, ""))}`, value(token, block)]),
  );
}
