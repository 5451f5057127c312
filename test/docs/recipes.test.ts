import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { describe, expect, it } from "vitest";
import { terraformTypeNameOf } from "../../provider/hosts/terraform/words";
import { resources } from "../../provider/resources/index";
import type { Setting } from "../../provider/settings/settingTable";
import * as settingTable from "../../provider/settings/settingTable";
import { destinationSchemes } from "../../provider/storage/destination";
import type { DestinationScheme } from "../../provider/storage/scheme";
import * as errors from "../../provider/support/errors";
import { snakeCase } from "../../provider/support/words";
import { filesIn } from "../../tools/filesIn";
import { projectRoot } from "../../tools/projectRoot";

/** A file, and a text that the file contains after the step. */
type Step = readonly [file: string, holds: string | RegExp];

const read = (file: string) => readFileSync(join(projectRoot, file), "utf8");

/** Returns the steps that are not done. */
function missing(steps: readonly Step[]): Step[] {
  return steps.filter(([file, holds]) => {
    const text = existsSync(join(projectRoot, file)) ? read(file) : "";
    return typeof holds === "string" ? !text.includes(holds) : !holds.test(text);
  });
}

const testOf = (setting: string) =>
  setting.startsWith("signing")
    ? "signingKey"
    : setting === "secretsOnlyTo"
      ? "machineSecrets"
      : /^(ca|client)/.test(setting)
        ? "pemFile"
        : "settings";

const settingSteps = ({ name, variable, from }: Pick<Setting<unknown>, "name" | "variable" | "from">): Step[] => [
  ["provider/settings/settingTable.ts", new RegExp(`^export const ${name} = (declare|optional)[<(]`, "m")],
  ["docs/configuration.md", `| \`${variable}\` |`],
  [`test/unit/provider/settings/${testOf(name)}.test.ts`, new RegExp(`\\b${variable}\\b`)],
  ...(from.includes("config") ? [["plugin/schema.json", `Environment: \`${variable}\`.`] satisfies Step] : []),
  ...(from.includes("argument")
    ? [["provider/hosts/terraform/schema.json", `"${snakeCase(name)}": {`] satisfies Step]
    : []),
];

const errorSteps = ({ name, code }: { name: string; code: string }): Step[] => [
  ["provider/support/errors.ts", new RegExp(`^export class ${name} [^}]*"${code}"`, "m")],
  ["docs/troubleshooting.md", new RegExp(`^## ${code}$`, "m")],
];

const allErrors = [...read("provider/support/errors.ts").matchAll(/^export class (\w+) [^}]*?"(DOCS_\w+)"/gm)].map(
  ([, name = "", code = ""]) => ({ name, code }),
);

interface NamedStore {
  name: string;
  holds: DestinationScheme<unknown>["holds"];
  /**
   * True for a store in a folder on disk, such as an image layout. Such a store needs no `error.ts` of its own, because
   * `file/error.ts` explains the errors of folders.
   */
  isFolder?: boolean;
  /** The optional package that a user must install for this store. */
  install: string | undefined;
}

function storeSteps({ name, holds, isFolder, install }: NamedStore): Step[] {
  const constant = `${name.replace(/-(.)/, (_, letter) => letter.toUpperCase())}Scheme`;
  const ofObjects: Step[] = [
    [`provider/storage/${name}/client.ts`, /^export class \w+ implements ObjectStorageClient \{/m],
    ["test/support/mirror/objectPlaces.ts", new RegExp(`^  ${name}: `, "m")],
    ["test/unit/provider/storage/destination.test.ts", `"${name}://`],
  ];
  const ofPackage: Step[] = [
    ["package.json", new RegExp(`("${install}": "[^"]*"[^]*){2}`)],
    ["docs/maintainers/dependencies.md", `- ${install}: `],
  ];
  const ofServer: Step[] = ["network/connectionFault", "storage/hostileDestination"].map((test) => [
    `test/unit/provider/${test}.test.ts`,
    `kind: "${name}"`,
  ]);
  return [
    [`provider/storage/${name}/destination.ts`, `export const ${constant}: DestinationScheme<`],
    ["provider/storage/destination.ts", new RegExp(`^  "?${name}"?: (objectR|r)ow\\(${constant}, `, "m")],
    ["test/support/upgrade/places.ts", `  ${name.includes("-") ? `"${name}"` : name}: `],
    ["sdk/bundleMirror.ts", `${name}://`],
    ["docs/guides/delivery.md", `${name}://`],
    ...(isFolder ? [] : [[`provider/storage/${name}/error.ts`, /^export function explain\w+Fault\(/m] satisfies Step]),
    ...(holds === "objects" ? ofObjects : []),
    ...(holds === "images" && !isFolder ? ofServer : []),
    ...(install === undefined ? [] : ofPackage),
  ];
}

const allStores = Object.entries<DestinationScheme<unknown>>(destinationSchemes).map(
  ([name, { holds, example, library }]): NamedStore => ({
    ...{ name, holds, install: library?.package.install },
    isFolder: name !== "file" && example.includes(":///"),
  }),
);

const fileNameOf = (resource: string) => `${resource.charAt(0).toLowerCase()}${resource.slice(1)}`;

function resourceSteps({ name }: { name: string }): Step[] {
  const fileName = fileNameOf(name);
  return [
    [`provider/definitions/${fileName}.ts`, `name: "${name}",`],
    [`provider/resources/${fileName}.ts`, `export const ${fileName}Lifecycle: Lifecycle<`],
    ["provider/resources/index.ts", `  ${name}: bindLifecycle(`],
    [`sdk/${fileName}.ts`, `export class ${name} extends pulumi.CustomResource {`],
    ["sdk/index.ts", ` from "./${fileName}";`],
    ["test/unit/sdk/declarations.test.ts", `typeof ${fileName}Definition>>()`],
    [`examples/registry/${name}.md`, "```yaml\n"],
    [`examples/reference/${name}.ts`, `${name}`],
    // `npm run schema` and `npm run docs` write these three files.
    ["plugin/schema.json", `"docs-platform:index:${name}": {`],
    ["provider/hosts/terraform/schema.json", `"${terraformTypeNameOf(name)}": {`],
    [`docs/reference/${name}.md`, `# ${name}\n`],
  ];
}

/** The two files that declare a field, and the two generated files. */
const fieldSteps = ({ name, fileName }: { name: string; fileName: string }): Step[] => [
  [`provider/definitions/${fileName}.ts`, new RegExp(`^    ${name}: \\{`, "m")],
  [`sdk/${fileName}.ts`, new RegExp(`^  (declare readonly )?${name}\\??: pulumi\\.`, "m")],
  ["plugin/schema.json", `"${name}": {`],
  ["provider/hosts/terraform/schema.json", `"${snakeCase(name)}": {`],
];

const allFields = Object.entries(resources).flatMap(([resource, { state }]) =>
  Object.keys(state)
    .filter((name) => !name.startsWith("__"))
    .map((name) => ({ name, fileName: fileNameOf(resource) })),
);

/** Each step adds the name of the host's folder to a file. */
const hostSteps = ({ name }: { name: string }): Step[] => [
  ["provider/README.md", `[${name}/](hosts/${name}/`],
  ["tools/check/importRules.ts", `"provider/hosts/${name}/",`],
  ["docs/architecture.md", new RegExp(`^\\| host: .*\`${name}\``, "m")],
  ["test/support/upgrade/upgradedStack.ts", `const ${name}: Host = {`],
  ["test/support/upgrade/upgradedStack.ts", new RegExp(`^export const upgradeHosts = \\{.*\\b${name}\\b`, "m")],
];

const foldersIn = (folder: string) => [
  ...new Set(
    filesIn(join(projectRoot, folder)).flatMap((file) => (file.includes("/") ? (file.split("/")[0] ?? "") : [])),
  ),
];

/**
 * The recipes, by the kind of thing that they add. In `existing`, every step must be done, because the things are in
 * the project. In `other`, no step may be done, because the thing is invented.
 */
const recipes = {
  setting: {
    existing: settingTable.allSettings.map(settingSteps),
    other: settingSteps({
      name: "newSetting",
      variable: "DOCS_PLATFORM_NEW_SETTING",
      from: settingTable.settingSourcesByPrecedence,
    }),
  },
  error: { existing: allErrors.map(errorSteps), other: errorSteps({ name: "NewError", code: "DOCS_NEW" }) },
  store: {
    existing: allStores.map(storeSteps),
    other: storeSteps({ name: "newscheme", holds: "objects", install: "@new/storage" }),
  },
  resource: {
    existing: Object.keys(resources).map((name) => resourceSteps({ name })),
    other: resourceSteps({ name: "NewResource" }),
  },
  field: { existing: allFields.map(fieldSteps), other: fieldSteps({ name: "newField", fileName: "staticExport" }) },
  host: {
    existing: foldersIn("provider/hosts").map((name) => hostSteps({ name })),
    other: hostSteps({ name: "newHost" }),
  },
};

describe.each(Object.entries(recipes))("the recipe of a %s", (_, { existing, other }) => {
  it("is complete for each that exists", () => {
    expect(existing.length).toBeGreaterThan(2);
    expect(existing.flatMap(missing)).toEqual([]);
  });

  it("names each file that does not know a new one", () => {
    expect(missing(other)).toEqual(other);
  });
});

it("the page of recipes names each file of a recipe", () => {
  const { field: _, ...named } = recipes;
  const page = read("docs/maintainers/recipes.md");
  const files = Object.values(named)
    .flatMap(({ other }) => other.map(([file]) => file))
    .filter((file) => !/newscheme|newResource|NewResource|newHost/.test(file));
  // The documentation site copies each Markdown file that a page links to. So the page of recipes has no link to a
  // Markdown file outside docs/. It contains only the name of such a file.
  const linkTo = (file: string) => `](${posix.relative("docs/maintainers", file)})`;
  const nameOf = (file: string) => (file.endsWith(".md") && !file.startsWith("docs/") ? `\`${file}\`` : linkTo(file));
  expect(files.filter((file) => !page.includes(nameOf(file)))).toEqual([]);
});

const withoutComments = (text: string) => text.replace(/^\s*(\/?\*|\/\/).*$/gm, "");
const codeIn = (folder: string) =>
  filesIn(join(projectRoot, folder))
    .filter((file) => file.endsWith(".ts"))
    .map((file) => withoutComments(read(`${folder}/${file}`)))
    .join("\n");

describe("what exists is in the tables that the recipes start from:", () => {
  it("each setting is in the list of all, under the name of its declaration", () => {
    const isSetting = (value: unknown) => typeof value === "object" && value !== null && "variable" in value;
    const declared = Object.entries<unknown>(settingTable).filter(([, value]) => isSetting(value));
    const listed = settingTable.allSettings.map((setting) => [setting.name, setting]);
    expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(declared));
  });

  it("no name of the environment is written by hand: it follows from the setting", () => {
    expect(`${codeIn("provider")}${codeIn("sdk")}`.match(/DOCS_PLATFORM_[A-Z_]+/g)).toBeNull();
  });

  it("each error has a code but the base classes, and a test that expects it by its class or its code", () => {
    const classes = Object.entries<unknown>(errors).flatMap(([name, value]) =>
      typeof value === "function" && value.prototype instanceof errors.DocsPlatformError ? name : [],
    );
    const coded = allErrors.map(({ name }) => name);
    expect(classes.filter((name) => name !== "RequestError").toSorted()).toEqual(coded.toSorted());
    const tests = filesIn(join(projectRoot, "test"))
      .filter((file) => file.endsWith(".test.ts") && !/docs\/|support\/errors\.test|foreignText/.test(file))
      .map((file) => read(`test/${file}`))
      .join("\n");
    expect(allErrors.filter(({ name, code }) => !tests.includes(name) && !tests.includes(code))).toEqual([]);
  });

  it("each folder of a scheme is in the table of destinations", () => {
    expect(foldersIn("provider/storage").toSorted()).toEqual(allStores.map(({ name }) => name).toSorted());
  });

  it("each resource has its own name, and tests of its lifecycle", () => {
    const tests = filesIn(join(projectRoot, "test/unit/provider/resources"));
    for (const [name, resource] of Object.entries(resources)) {
      expect(resource.name).toBe(name);
      expect(
        tests.some((file) => file.startsWith(`${fileNameOf(name)}.`)),
        name,
      ).toBe(true);
    }
  });
});

it("the README of the provider explains no name that the code does not have", () => {
  const [, table = ""] = read("provider/README.md").split("\n## Names\n");
  const names = [...(table.split("\n## ")[0] ?? "").matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, cell = ""]) =>
    cell.split(", "),
  );
  const ofCode = names.filter((name) => /[a-z][A-Z]|^[A-Z]/.test(name));
  const code = codeIn("provider");
  expect(ofCode.length).toBeGreaterThan(8);
  expect(ofCode.filter((name) => !new RegExp(`\\b${name}\\b`).test(code))).toEqual([]);
});
