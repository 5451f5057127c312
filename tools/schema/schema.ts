import { readFileSync } from "node:fs";
import { join } from "node:path";
import { functionTable } from "../../provider/hosts/plugin/functionTable";
import type { PluginResource } from "../../provider/hosts/plugin/pluginResource";
import { resourceTable } from "../../provider/hosts/plugin/resourceTable";
import { allSettings, type Setting } from "../../provider/support/settingTable";
import { projectRoot } from "../projectRoot";
import { examplesOf } from "./examples";
import { languages } from "./languages";
import { type Declared, readSource, type Source } from "./source";
import { TypeTranslator } from "./types";

/**
 * The schema of the plugin, as the code has it. Which inputs, functions and settings there are, which inputs replace a
 * resource, and which outputs are secret, is asked of the very tables that the plugin runs by: the rules of
 * provider/resources check every input of both hosts, and refuse any that has no rule, so that no other list could be
 * the true one. (zod stands at the other border, before the platform's answers; a preview's unknown values, and reasons
 * in the words of a user, are no matter for it.) Types and descriptions are those of the SDK.
 */
export function generateSchema(): object {
  const manifest = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));
  const source = readSource();
  const types = new TypeTranslator(source);
  const byToken = <T>(table: Readonly<Record<string, T>>, describe: (name: string, entry: T) => object) =>
    Object.fromEntries(
      Object.entries(table).map(([name, entry]) => [`docs-platform:index:${name}`, describe(name, entry)]),
    );
  const resources = byToken(resourceTable, (name, resource) => describeResource(name, resource, source, types));
  const functions = byToken(functionTable, (name, { rules }) =>
    describeFunction(name, Object.keys(rules), source, types),
  );
  return {
    $schema: "https://raw.githubusercontent.com/pulumi/pulumi/master/pkg/codegen/schema/pulumi.json",
    name: "docs-platform",
    displayName: "Docs Platform",
    version: manifest.version,
    description: manifest.description,
    keywords: manifest.keywords,
    license: manifest.license,
    language: languages,
    config: { variables: Object.fromEntries(allSettings.map((setting) => [setting.name, variable(setting, source)])) },
    provider: {
      description: providerDescription,
      // No default and no variable here: a generated SDK would turn either into an argument, which lies in the state, and
      // goes before the environment. A rotated key would never be seen.
      inputProperties: Object.fromEntries(allSettings.map((setting) => [setting.name, argument(setting, source)])),
    },
    types: types.objects,
    resources,
    functions,
  };
}

const providerDescription =
  "How to reach the platform. An argument given here goes before the environment, the environment before the stack's configuration.";

function describeResource(name: string, resource: PluginResource, source: Source, types: TypeTranslator): object {
  const args = source.properties(`${name}Args`);
  const outputs = source.properties(name);
  const inputs = resource.inputs.map((input) => named(args, input));
  const state = source.state(`${name.charAt(0).toLowerCase()}${name.slice(1)}`);
  const properties = state.map(({ name: property, optional }) => {
    const output = outputs.find((declared) => declared.name === property);
    return output ?? { ...named(args, property), optional };
  });
  const described = types.members(properties);
  const inputProperties = types.members(inputs);
  for (const { name: property, description } of inputs) {
    Object.assign(inputProperties.properties[property] ?? {}, {
      ...defaultOf(description),
      ...(resource.replacedBy(property) && { willReplaceOnChanges: true }),
    });
  }
  for (const property of resource.secrets) {
    Object.assign(described.properties[property] ?? {}, { secret: true });
  }
  return {
    description: [source.description(name), ...examplesOf(name)].join("\n\n"),
    ...described,
    inputProperties: inputProperties.properties,
    requiredInputs: inputProperties.required ?? [],
  };
}

function describeFunction(name: string, rules: readonly string[], source: Source, types: TypeTranslator): object {
  const { inputs, outputs } = source.signature(name);
  return {
    description: source.description(name),
    inputs: { type: "object", ...types.members(rules.map((input) => named(inputs, input))) },
    outputs: { type: "object", ...types.members(outputs) },
  };
}

function named(declared: readonly Declared[], name: string): Declared {
  const found = declared.find((property) => property.name === name);
  if (found === undefined) {
    throw new Error(`the SDK does not declare ${name}, which the provider has`);
  }
  return found;
}

/** A provider's argument. */
function argument(setting: Setting<unknown>, source: Source): object {
  return {
    type: setting.number ?? "string",
    description: `${source.setting(setting.name)} Environment: \`${setting.variable}\`.`,
    ...(setting.secret && { secret: true }),
  };
}

/** A setting in the stack's configuration. */
function variable(setting: Setting<unknown>, source: Source): object {
  const fallback = setting.number === undefined ? setting.fallback : Number(setting.fallback);
  return {
    ...argument(setting, source),
    ...(setting.fallback !== undefined && { default: fallback }),
    defaultInfo: { environment: [setting.variable] },
  };
}

/** The default that a docstring tells at its end. */
function defaultOf(description: string): { default?: unknown } {
  const told = /Default: `?("[^"`]*"|true|false)/.exec(description)?.[1];
  return told === undefined ? {} : { default: JSON.parse(told) };
}
