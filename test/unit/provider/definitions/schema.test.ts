import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { planChange } from "../../../../provider/engine/plan";
import { resources as definitions } from "../../../../provider/resources/index";
import { settingsAcceptedFrom } from "../../../../provider/settings/settingTable";
import { projectRoot } from "../../../../tools/projectRoot";
import { generateSchema } from "../../../../tools/schema/generateSchema";
import type { PulumiSchema } from "../../../../tools/schema/pulumiSchema";

const committed: PulumiSchema = JSON.parse(readFileSync(join(projectRoot, "plugin", "schema.json"), "utf8"));
const resources = Object.entries(definitions);

function entry<T>(table: Readonly<Record<string, T>>, name: string): T {
  const found = table[`docs-platform:index:${name}`];
  if (found === undefined) {
    throw new Error(`the schema has no ${name}`);
  }
  return found;
}

describe("the schema", () => {
  it("that is committed is the one that the code makes: `npx tsx tools/schema/main.ts` writes it", () => {
    expect(JSON.parse(JSON.stringify(generateSchema()))).toEqual(committed);
  });

  it.each(resources)("marks the inputs whose change makes a plan replace %s", (name, definition) => {
    const { inputProperties } = entry(committed.resources, name);
    const marked = Object.keys(inputProperties).filter((input) => inputProperties[input]?.willReplaceOnChanges);
    // One example value of each type that a property of a state may have.
    const samples = ["completed", "archive", "tar", 1, true, [], {}];
    const state = Object.fromEntries(
      Object.entries(definition.state).map(([property, { is }]) => [property, samples.find(is)]),
    );
    const replacing = Object.keys(inputProperties).filter((input) =>
      planChange(definition, state, { ...state, [input]: "after" }, 0).replaces.includes(input),
    );
    expect(marked).toEqual(replacing);
    expect(marked).toContain("jobId");
  });

  it("keeps the rules of Pulumi's registry, and names the repository of the npm package", () => {
    const { repository, keywords, language } = committed;
    const kinds = ["kind/", "category/"].map((prefix) => keywords.filter((each) => each.startsWith(prefix)).length);
    expect(kinds).toEqual([1, 1]);
    expect(`https://${language.go?.importBasePath}`.startsWith(`${repository}/`)).toBe(true);
    const { bugs, homepage } = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));
    expect([bugs, homepage]).toEqual([`${repository}/issues`, `${repository}#readme`]);
  });

  it("marks as secret what is one: the link, and the key", () => {
    const { properties } = entry(committed.resources, "ExportBundle");
    expect(Object.keys(properties).filter((name) => properties[name]?.secret)).toEqual(["bundleUrl"]);
    const { variables } = committed.config;
    expect(Object.keys(variables).filter((name) => variables[name]?.secret)).toEqual(["apiKey", "headers"]);
    expect(committed.provider.inputProperties.apiKey?.secret).toBe(true);
  });

  it.each(resources)("of %s has the defaults that the docstrings show, and no other", (name, { inputs }) => {
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
    const inStack = settingsAcceptedFrom("config");
    expect(Object.keys(variables)).toEqual(inStack.map(({ name }) => name));
    expect(Object.keys(committed.provider.inputProperties)).toEqual(inStack.map(({ name }) => name));
    for (const { name, variable } of inStack) {
      expect(variables[name]?.defaultInfo).toEqual({ environment: [variable] });
      // The engine would store a default in the state, where the default would take precedence over the environment.
      expect(committed.provider.inputProperties[name]).not.toHaveProperty("defaultInfo");
      expect(committed.provider.inputProperties[name]).not.toHaveProperty("default");
    }
  });
});
