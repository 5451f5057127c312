import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as settingTable from "../../provider/settings/settingTable";
import * as errors from "../../provider/support/errors";
import { filesIn } from "../../tools/filesIn";
import { projectRoot } from "../../tools/projectRoot";

/** A file that a recipe of CONTRIBUTING names, and the text by which it knows the new thing. */
interface Step<Subject> {
  file: string;
  holds: (subject: Subject) => string | RegExp;
}

const read = (file: string) => readFileSync(join(projectRoot, file), "utf8");

/** The files that do not know the thing yet. */
function missing<Subject>(steps: readonly Step<Subject>[], subject: Subject): string[] {
  return steps.flatMap(({ file, holds }) => (holdsText(read(file), holds(subject)) ? [] : [file]));
}

const holdsText = (text: string, part: string | RegExp) =>
  typeof part === "string" ? text.includes(part) : part.test(text);

type NamedSetting = Pick<settingTable.Setting<unknown>, "name" | "variable">;

const settingSteps: readonly Step<NamedSetting>[] = [
  {
    file: "provider/settings/settingTable.ts",
    holds: ({ name }) => new RegExp(`^export const ${name}: Setting<`, "m"),
  },
  { file: "docs/configuration.md", holds: ({ variable }) => `| \`${variable}\` |` },
  { file: "test/unit/provider/settings/settings.test.ts", holds: ({ variable }) => new RegExp(`\\b${variable}\\b`) },
  { file: "plugin/schema.json", holds: ({ variable }) => `Environment: \`${variable}\`.` },
  { file: "provider/hosts/terraform/schema.json", holds: ({ name }) => `"property": "${name}"` },
];

const isSetting = (value: unknown): value is settingTable.Setting<unknown> =>
  typeof value === "object" && value !== null && "variable" in value;

describe("the recipe of a setting", () => {
  it.each(settingTable.allSettings)("is complete: $name", (setting) => {
    expect(missing(settingSteps, setting)).toEqual([]);
  });

  it("names each file that does not know a new setting", () => {
    const files = settingSteps.map(({ file }) => file);
    expect(missing(settingSteps, { name: "newSetting", variable: "DOCS_PLATFORM_NEW_SETTING" })).toEqual(files);
  });

  it("has each setting in the list of all", () => {
    const values: unknown[] = Object.values(settingTable);
    expect(namesOf(settingTable.allSettings)).toEqual(namesOf(values.filter(isSetting)));
  });

  it("has each setting read into the settings of an operation", () => {
    const readers = ["settings", "apiKeySource", "tlsSettings"].map((name) => read(`provider/settings/${name}.ts`));
    const unread = settingTable.allSettings.filter(
      ({ name }) => !readers.some((text) => new RegExp(`\\bread(Setting)?\\(${name}\\b`).test(text)),
    );
    expect(unread.map(({ name }) => name)).toEqual([]);
  });

  it("has each name of the environment written once", () => {
    const files = ["provider", "sdk"].flatMap((folder) =>
      filesIn(join(projectRoot, folder)).map((file) => `${folder}/${file}`),
    );
    const names = files
      .filter((file) => file.endsWith(".ts"))
      .flatMap((file) => withoutComments(read(file)).match(/DOCS_PLATFORM_[A-Z_]+/g) ?? []);
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});

const namesOf = (settings: readonly NamedSetting[]) => settings.map(({ name }) => name).toSorted();

const withoutComments = (text: string) => text.replace(/^\s*(\/?\*|\/\/).*$/gm, "");

interface NamedError {
  /** The name of its class. */
  name: string;
  code: string;
}

const errorSteps: readonly Step<NamedError>[] = [
  {
    file: "provider/support/errors.ts",
    holds: ({ name, code }) => new RegExp(`^export class ${name} [^}]*"${code}";`, "m"),
  },
  { file: "docs/troubleshooting.md", holds: ({ code }) => new RegExp(`^## ${code}$`, "m") },
];

const allErrors: NamedError[] = [
  ...read("provider/support/errors.ts").matchAll(/^export class (\w+) [^}]*?"(DOCS_\w+)";/gm),
].map(([, name = "", code = ""]) => ({ name, code }));

const isError = (value: unknown): value is { name: string } =>
  typeof value === "function" && value.prototype instanceof errors.DocsPlatformError;

describe("the recipe of an error", () => {
  it.each(allErrors)("is complete: $name", (error) => {
    expect(missing(errorSteps, error)).toEqual([]);
  });

  it("names each file that does not know a new error", () => {
    const files = errorSteps.map(({ file }) => file);
    expect(missing(errorSteps, { name: "NewError", code: "DOCS_NEW" })).toEqual(files);
  });

  it("has a code for each error but the base classes", () => {
    const coded = allErrors.map(({ name }) => name).toSorted();
    const classes = Object.values(errors).flatMap((value) => (isError(value) ? value.name : []));
    expect(classes.filter((name) => name !== "RequestError").toSorted()).toEqual(coded);
  });

  it("has a test that expects each error, by its class or its code", () => {
    const tests = filesIn(join(projectRoot, "test"))
      .filter((file) => file.endsWith(".test.ts") && !/docs\/|support\/errors\.test|foreignText/.test(file))
      .map((file) => read(`test/${file}`));
    const untested = allErrors.filter(
      ({ name, code }) => !tests.some((text) => text.includes(name) || text.includes(code)),
    );
    expect(untested).toEqual([]);
  });
});

it("CONTRIBUTING names each file of a recipe", () => {
  const page = read("CONTRIBUTING.md");
  const files = [...settingSteps, ...errorSteps].map(({ file }) => file);
  expect(files.filter((file) => !page.includes(`](${file})`))).toEqual([]);
});
