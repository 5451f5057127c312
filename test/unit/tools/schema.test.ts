import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { unknown } from "../../../provider/definitions/values";
import { check } from "../../../provider/engine/check";
import { decide } from "../../../provider/engine/plan";
import { functions } from "../../../provider/functions/index";
import { providerSettings } from "../../../provider/hosts/plugin/providerSettings";
import { resources as definitions } from "../../../provider/resources/index";
import { allSettings } from "../../../provider/settings/settingTable";
import { projectRoot } from "../../../tools/projectRoot";
import { generateSchema } from "../../../tools/schema/schema";

interface Property {
  type?: string;
  $ref?: string;
  description?: string;
  default?: unknown;
  secret?: boolean;
  willReplaceOnChanges?: boolean;
  defaultInfo?: { environment: string[] };
}

interface Resource {
  description: string;
  properties: Record<string, Property>;
  required: string[];
  inputProperties: Record<string, Property>;
  requiredInputs: string[];
}

interface Schema {
  version: string;
  config: { variables: Record<string, Property> };
  provider: { inputProperties: Record<string, Property> };
  types: Record<string, { properties: Record<string, Property> }>;
  resources: Record<string, Resource>;
  functions: Record<
    string,
    { description: string; inputs: { properties: Record<string, Property>; required?: string[] } }
  >;
}

const committed: Schema = JSON.parse(readFileSync(join(projectRoot, "plugin", "schema.json"), "utf8"));
const settings = providerSettings({}, false, {
  DOCS_PLATFORM_API_KEY: "svc_x",
  DOCS_PLATFORM_BASE_URL: "https://x.example",
  DOCS_PLATFORM_PROJECT_ID: "docs",
});
const resources = Object.entries(definitions);

function entry<T>(table: Readonly<Record<string, T>>, name: string): T {
  const found = table[`docs-platform:index:${name}`];
  if (found === undefined) {
    throw new Error(`the schema has no ${name}`);
  }
  return found;
}

/** Returns the properties that a check of these inputs refuses. */
function refused(name: string, values: Record<string, unknown>): string[] {
  const definition = definitions[name];
  return definition === undefined ? [] : check(definition, values, settings).failures.map(({ property }) => property);
}

describe("the schema", () => {
  it("that is committed is the one that the code makes: `npx tsx tools/schema/main.ts` writes it", () => {
    expect(JSON.parse(JSON.stringify(generateSchema()))).toEqual(committed);
  });

  it("has every resource and every function of the plugin, and no other", () => {
    const names = (table: object) => Object.keys(table).map((token) => token.replace("docs-platform:index:", ""));
    expect(names(committed.resources)).toEqual(Object.keys(definitions));
    expect(names(committed.functions)).toEqual(Object.keys(functions));
  });

  it.each(resources)("has every input that the rules of %s take, and no other", (name) => {
    const inputs = Object.keys(entry(committed.resources, name).inputProperties);
    expect(refused(name, Object.fromEntries(inputs.map((input) => [input, unknown])))).toEqual([]);
    expect(refused(name, { ...Object.fromEntries(inputs.map((input) => [input, unknown])), other: 1 })).toEqual([
      "other",
    ]);
    expect(inputs.toSorted()).toEqual(Object.keys(definitions[name]?.inputs ?? {}).toSorted());
  });

  it.each(resources)("requires of %s exactly the inputs without which a check refuses it", (name) => {
    expect(entry(committed.resources, name).requiredInputs).toEqual(refused(name, {}));
  });

  it.each(resources)("has for the outputs of %s the public properties of its state", (name) => {
    const { state = {}, inputs = {}, outputs } = definitions[name] ?? {};
    const { properties, required } = entry(committed.resources, name);
    expect(Object.keys(properties)).toEqual(Object.keys(state).filter((property) => !property.startsWith("__")));
    expect(required).toEqual(required.filter((output) => output in properties));
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(inputs)));
    expect(Object.keys(properties)).toEqual(expect.arrayContaining([...(outputs ?? [])]));
  });

  it.each(resources)("marks the inputs whose change makes a plan replace %s", (name, definition) => {
    const { inputProperties } = entry(committed.resources, name);
    const marked = Object.keys(inputProperties).filter((input) => inputProperties[input]?.willReplaceOnChanges);
    // A state with every property, each with one of its possible values.
    const samples = ["completed", "archive", "tar", 1, true, [], {}];
    const state = Object.fromEntries(
      Object.entries(definition.state).map(([property, { is }]) => [property, samples.find(is)]),
    );
    const replacing = Object.keys(inputProperties).filter((input) =>
      decide(definition, state, { ...state, [input]: "after" }, { now: 0 }).replaces.includes(input),
    );
    expect(marked).toEqual(replacing);
    expect(marked).toContain("jobId");
  });

  it("describes everything, in words of the code's docstrings", () => {
    const described = [
      ...Object.values(committed.resources),
      ...Object.values(committed.functions),
      ...Object.values(committed.config.variables),
      ...Object.values(committed.resources).flatMap(({ properties, inputProperties }) => [
        ...Object.values(properties),
        ...Object.values(inputProperties),
      ]),
    ];
    expect(described.filter(({ description }) => !description)).toEqual([]);
  });

  it("marks as secret what is one: the link, and the key", () => {
    const { properties } = entry(committed.resources, "ExportBundle");
    expect(Object.keys(properties).filter((name) => properties[name]?.secret)).toEqual(["bundleUrl"]);
    const { variables } = committed.config;
    expect(Object.keys(variables).filter((name) => variables[name]?.secret)).toEqual(["apiKey", "headers"]);
    expect(committed.provider.inputProperties.apiKey?.secret).toBe(true);
  });

  it("gives no input a default, which a generated SDK would send as if the program had given it", () => {
    for (const { inputProperties } of Object.values(committed.resources)) {
      expect(Object.values(inputProperties).filter((input) => input.default !== undefined)).toEqual([]);
    }
  });

  it("tells the defaults of the settings, as the code has them", () => {
    const read = settings.require();
    expect(committed.config.variables.maxRetries?.default).toBe(read.maxRetries);
  });

  it.each(resources)("of %s has the defaults that the docstrings tell, and no other", (name, { inputs }) => {
    const { inputProperties } = entry(committed.resources, name);
    const told = Object.entries(inputProperties).map(([input, { description }]) => {
      const text = /Default: `?("[^"`]*"|true|false)/.exec(description ?? "")?.[1];
      return [input, text === undefined ? undefined : JSON.parse(text)];
    });
    const defaults = Object.entries(inputs).map(([input, field]) => [input, field.default]);
    expect(Object.fromEntries(told)).toEqual(Object.fromEntries(defaults));
  });

  it("has every setting, as configuration with its variable and as an argument without", () => {
    const { variables } = committed.config;
    expect(Object.keys(variables)).toEqual(allSettings.map(({ name }) => name));
    expect(Object.keys(committed.provider.inputProperties)).toEqual(allSettings.map(({ name }) => name));
    for (const { name, variable } of allSettings) {
      expect(variables[name]?.defaultInfo).toEqual({ environment: [variable] });
      // It would become an argument, which beats the environment, and lies in the state.
      expect(committed.provider.inputProperties[name]).not.toHaveProperty("defaultInfo");
      expect(committed.provider.inputProperties[name]).not.toHaveProperty("default");
    }
  });

  it("refers to no type that it does not have", () => {
    const references = [...JSON.stringify(committed).matchAll(/"#\/types\/([^"]+)"/g)].map(([, token]) => token);
    expect(references.length).toBeGreaterThan(0);
    expect(references.filter((token) => !Object.hasOwn(committed.types, token ?? ""))).toEqual([]);
  });

  it("has the package's version", () => {
    expect(committed.version).toBe(JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8")).version);
  });
});
