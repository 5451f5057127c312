import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ResourceDefinition } from "../../provider/definitions/definition";
import type { FunctionDefinition } from "../../provider/functions/function";
import { functions } from "../../provider/functions/index";
import { resources } from "../../provider/resources/index";
import { type Setting, settingsAcceptedFrom } from "../../provider/settings/settingTable";
import { projectRoot } from "../projectRoot";
import { exampleOf } from "./examples";
import { languagesOf } from "./languages";
import type { PulumiSchema, SchemaFunction, SchemaProperty, SchemaResource } from "./pulumiSchema";
import { type DeclaredProperty, readSource, type SdkSource } from "./sdkSource";
import { TypeTranslator } from "./typeTranslator";

/** Inputs, functions, settings and secrets come from provider/definitions. Types and descriptions come from the SDK. */
export function generateSchema(): PulumiSchema {
  const manifest = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));
  const repository = manifest.repository.url.replace(/^git\+|\.git$/g, "");
  const owner = repository.split("/").at(-2);
  const source = readSource();
  const types = new TypeTranslator(source);
  const describedResources = byToken(resources, (resource) => describeResource(resource, source, types));
  const describedFunctions = byToken(functions, (called) => describeFunction(called, source, types));
  const schema = {
    $schema: "https://raw.githubusercontent.com/pulumi/pulumi/master/pkg/codegen/schema/pulumi.json",
    name: "docs-platform",
    displayName: "Docs Platform",
    version: manifest.version,
    description: manifest.description,
    // The last two keywords determine the category of the package in Pulumi's registry.
    keywords: [...manifest.keywords, "kind/native", "category/utility"],
    homepage: repository,
    repository,
    license: manifest.license,
    pluginDownloadURL: pluginDownloadUrl(manifest),
    publisher: owner,
    namespace: owner,
    logoUrl: `${repository.replace("github.com", "raw.githubusercontent.com")}/main/docs/pictures/logo.png`,
    language: languagesOf(repository),
    config: {
      variables: Object.fromEntries(
        settingsAcceptedFrom("config").map((setting) => [setting.name, variable(setting, source)]),
      ),
    },
    provider: {
      description: providerDescription,
      // No default or variable is declared, because a generated SDK would turn it into an argument. An argument takes
      // precedence over the environment, so the provider would use the old key after a rotation.
      inputProperties: Object.fromEntries(
        settingsAcceptedFrom("config").map((setting) => [setting.name, argument(setting, source)]),
      ),
    },
    types: types.objects,
    resources: describedResources,
    functions: describedFunctions,
  };
  return schema;
}

/** Returns the address from which the engine downloads the plugin. The address is also in the state of stacks. */
function pluginDownloadUrl({ repository }: { repository: { url: string } }): string {
  const { pathname } = new URL(repository.url.replace(/^git\+/, ""));
  return `github://api.github.com${pathname.replace(/\.git$/, "")}`;
}

function byToken<T, D>(table: Readonly<Record<string, T>>, describe: (definition: T) => D): Record<string, D> {
  return Object.fromEntries(
    Object.entries(table).map(([name, definition]) => [`docs-platform:index:${name}`, describe(definition)]),
  );
}

const providerDescription =
  "How to reach the platform. An argument given here goes before the environment, the environment before the stack's configuration.";

function describeResource(definition: ResourceDefinition, source: SdkSource, types: TypeTranslator): SchemaResource {
  const { name, secrets = [] } = definition;
  const args = source.properties(`${name}Args`);
  const outputs = source.properties(name);
  const state = Object.entries(definition.state).filter(([property]) => !property.startsWith("__"));
  const properties = state.map(([property, { optional }]) => {
    const output = outputs.find((declared) => declared.name === property);
    return output ?? { ...named(args, property), optional };
  });
  const described = types.members(properties);
  const inputProperties = types.members(args);
  for (const [property, field] of Object.entries(definition.inputs)) {
    // No default is declared, because a generated SDK would send it. A default of renewBefore would cause a warning.
    Object.assign(inputProperties.properties[property] ?? {}, {
      ...(field.onChange === "replace" && { willReplaceOnChanges: true }),
    });
  }
  for (const property of secrets) {
    Object.assign(described.properties[property] ?? {}, { secret: true });
  }
  return {
    description: [source.description(name), exampleOf(name)].join("\n\n"),
    ...described,
    inputProperties: inputProperties.properties,
    requiredInputs: inputProperties.required ?? [],
  };
}

function describeFunction(
  { name, inputs: fields }: FunctionDefinition,
  source: SdkSource,
  types: TypeTranslator,
): SchemaFunction {
  const { inputs, outputs } = source.signature(name);
  return {
    description: [source.description(name), exampleOf(name)].join("\n\n"),
    inputs: { type: "object", ...types.members(Object.keys(fields).map((input) => named(inputs, input))) },
    outputs: { type: "object", ...types.members(outputs) },
  };
}

function named(declared: readonly DeclaredProperty[], name: string): DeclaredProperty {
  const found = declared.find((property) => property.name === name);
  if (found === undefined) {
    throw new Error(`the SDK does not declare ${name}, which the provider has`);
  }
  return found;
}

export function argument(setting: Setting<unknown>, source: SdkSource): SchemaProperty {
  return {
    type: setting.number ?? "string",
    description: `${source.setting(setting.name)} Environment: \`${setting.variable}\`.`,
    ...(setting.secret && { secret: true }),
  };
}

function variable(setting: Setting<unknown>, source: SdkSource): SchemaProperty {
  const fallback = setting.number === undefined ? setting.fallback : Number(setting.fallback);
  return {
    ...argument(setting, source),
    ...(setting.fallback !== undefined && { default: fallback }),
    defaultInfo: { environment: [setting.variable] },
  };
}
