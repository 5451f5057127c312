import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { typeName } from "../../provider/hosts/terraform/words";
import { resources } from "../../provider/resources/index";
import * as settingTable from "../../provider/settings/settingTable";
import { schemes } from "../../provider/storage/destination";
import type { Scheme } from "../../provider/storage/scheme";
import * as errors from "../../provider/support/errors";
import { filesIn } from "../../tools/filesIn";
import { projectRoot } from "../../tools/projectRoot";

/** A file that a recipe of CONTRIBUTING names, and the text by which it knows the new thing. */
interface Step<Subject> {
  file: string;
  holds: (subject: Subject) => string | RegExp;
}

const read = (file: string) => readFileSync(join(projectRoot, file), "utf8");

/** The files that do not exist, or do not know the thing yet. */
function missing<Subject>(steps: readonly Step<Subject>[], subject: Subject): string[] {
  const isDone = ({ file, holds }: Step<Subject>) =>
    existsSync(join(projectRoot, file)) && holdsText(read(file), holds(subject));
  return steps.filter((step) => !isDone(step)).map(({ file }) => file);
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

interface NamedStore {
  scheme: string;
  holds: Scheme<unknown>["holds"];
  /** The optional package. */
  install: string | undefined;
}

function storeSteps({ scheme, holds, install }: NamedStore): readonly Step<NamedStore>[] {
  const own = `provider/storage/${scheme}`;
  const named = () => new RegExp(`\\bkind: "${scheme}"`);
  const steps: (Step<NamedStore> & { of?: unknown })[] = [
    { file: `${own}/destination.ts`, holds: () => `export const ${scheme}Scheme = {` },
    { file: `${own}/error.ts`, holds: () => /^export function explain\w+Fault\(/m },
    { file: "provider/storage/destination.ts", holds: () => `  ${scheme}: ${scheme}Scheme,` },
    { file: "provider/storage/openStore.ts", holds: () => `  ${scheme}: (`, of: holds === "objects" },
    { file: "package.json", holds: () => new RegExp(`("${install}": "[^"]*"[^]*){2}`), of: install },
    { file: "tools/release/plugins/bundle.ts", holds: () => `"${install}"`, of: install },
    { file: "CONTRIBUTING.md", holds: () => `| ${install} |`, of: install },
    { file: "test/support/mirror/objectPlaces.ts", holds: () => `  ${scheme}: `, of: holds === "objects" },
    { file: "test/unit/provider/network/connectionFault.test.ts", holds: named, of: holds !== "files" },
    { file: "test/unit/provider/storage/hostileDestination.test.ts", holds: named, of: holds !== "files" },
    { file: "sdk/bundleMirror.ts", holds: () => `${scheme}://` },
    { file: "docs/guides/delivery.md", holds: () => `${scheme}://` },
  ];
  return steps.filter((step) => !("of" in step) || Boolean(step.of));
}

const allStores = Object.entries<Scheme<unknown>>(schemes).map(
  ([scheme, { holds, library }]): NamedStore => ({ scheme, holds, install: library?.package.install }),
);

const newStore: NamedStore = { scheme: "newscheme", holds: "objects", install: "@new/storage" };

describe("the recipe of a store", () => {
  it.each(allStores)("is complete: $scheme", (store) => {
    expect(missing(storeSteps(store), store)).toEqual([]);
  });

  it("names each file that does not know a new store", () => {
    const files = storeSteps(newStore).map(({ file }) => file);
    expect(files).toHaveLength(12);
    expect(missing(storeSteps(newStore), newStore)).toEqual(files);
  });

  it("has each folder of a scheme in the table of destinations", () => {
    const folders = filesIn(join(projectRoot, "provider/storage")).flatMap((file) =>
      file.includes("/") ? [file.split("/")[0]] : [],
    );
    expect([...new Set(folders)].sort()).toEqual(allStores.map(({ scheme }) => scheme).sort());
  });
});

interface NamedResource {
  name: string;
}

/** @param fileName of a resource in each folder, without its end. */
function resourceSteps({ name }: NamedResource): readonly Step<NamedResource>[] {
  const fileName = `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
  return [
    { file: `provider/definitions/${fileName}.ts`, holds: () => `name: "${name}",` },
    { file: `provider/resources/${fileName}.ts`, holds: () => `export const ${fileName}: Lifecycle<` },
    { file: "provider/resources/index.ts", holds: () => `  ${name}: bindLifecycle(` },
    { file: `sdk/${fileName}.ts`, holds: () => `export class ${name} extends pulumi.CustomResource {` },
    { file: "sdk/index.ts", holds: () => ` from "./${fileName}";` },
    { file: "test/unit/sdk/declarations.test.ts", holds: () => `typeof ${fileName}Definition>>()` },
    { file: `examples/registry/${name}.md`, holds: () => "```yaml\n" },
    { file: "tools/docs/examples.md", holds: () => `## ${name}\n` },
    // Written by `npm run schema` and `npm run docs`.
    { file: "plugin/schema.json", holds: () => `"docs-platform:index:${name}": {` },
    { file: "provider/hosts/terraform/schema.json", holds: () => `"${typeName(name)}": {` },
    { file: `docs/reference/${name}.md`, holds: () => `# ${name}\n` },
  ];
}

const newResource = { name: "NewResource" };

describe("the recipe of a resource", () => {
  it.each(Object.entries(resources))("is complete: %s", (name, resource) => {
    expect(resource.name).toBe(name);
    expect(missing(resourceSteps({ name }), { name })).toEqual([]);
  });

  it("names each file that does not know a new resource: eight that are written by hand, and three that are not", () => {
    const files = resourceSteps(newResource).map(({ file }) => file);
    expect(files).toHaveLength(8 + 3);
    expect(missing(resourceSteps(newResource), newResource)).toEqual(files);
  });

  it.each(Object.keys(resources))("has tests of the lifecycle of %s", (name) => {
    const fileName = `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
    const tests = filesIn(join(projectRoot, "test/unit/provider/resources"));
    expect(tests.filter((file) => file.startsWith(`${fileName}.`)).length).toBeGreaterThan(0);
  });
});

interface NamedField {
  /** Of the resource. */
  fileName: string;
  property: string;
}

/** The places where a field is declared. The lifecycle, which uses it, is the third. */
function fieldSteps({ fileName, property }: NamedField): readonly Step<NamedField>[] {
  return [
    { file: `provider/definitions/${fileName}.ts`, holds: () => new RegExp(`^    ${property}: \\{`, "m") },
    { file: `sdk/${fileName}.ts`, holds: () => new RegExp(`^  (declare readonly )?${property}\\??: pulumi\\.`, "m") },
    { file: "plugin/schema.json", holds: () => `"${property}": {` },
    { file: "provider/hosts/terraform/schema.json", holds: () => `"property": "${property}"` },
  ];
}

const allFields = Object.entries(resources).flatMap(([name, { state }]) =>
  Object.keys(state)
    .filter((property) => !property.startsWith("__"))
    .map((property): NamedField => ({ fileName: `${name.charAt(0).toLowerCase()}${name.slice(1)}`, property })),
);

describe("the recipe of an input and of an output", () => {
  it.each(allFields)("is complete: $property of $fileName", (field) => {
    expect(missing(fieldSteps(field), field)).toEqual([]);
  });

  it("names each file that does not know a new field", () => {
    const field = { fileName: "staticExport", property: "newField" };
    expect(missing(fieldSteps(field), field)).toEqual(fieldSteps(field).map(({ file }) => file));
  });
});

/** Words of the API, of archives and of addresses. Fields have them as names too, and several files work with such values. */
const sharedWords: ReadonlySet<string> = new Set([
  ...["jobId", "domain", "status", "pageCount", "startedAt", "completedAt", "version", "bundleUrl", "expiresAt"],
  ...["projectId", "source", "model", "prLink", "createdAt", "archivedAt"],
  ...["url", "sha256", "sizeBytes", "format", "mirroredAt", "digest", "destination", "layout"],
  ...["expectedSha256", "publicUrl", "allowExisting"],
]);

const sourcesIn = (folders: readonly string[]) =>
  folders.flatMap((folder) =>
    filesIn(join(projectRoot, folder))
      .filter((file) => file.endsWith(".ts"))
      .map((file) => ({ file: `${folder}/${file}`, words: wordsIn(read(`${folder}/${file}`)) })),
  );

/** The names in a source, and its texts of one name. Comments do not count, nor does the prose of an error. */
function wordsIn(source: string): ReadonlySet<string> {
  const words = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) || ts.isStringLiteral(node)) {
      words.add(node.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile("source.ts", source, ts.ScriptTarget.Latest));
  return words;
}

describe("a field is written in its definition, in the SDK and in one file more", () => {
  const files = sourcesIn(["sdk", "provider/resources", "provider/functions", "provider/engine", "provider/hosts"]);
  const others = (property: string, classes: readonly string[], all = files) =>
    all.filter(({ file, words }) => words.has(property) && !classes.includes(file)).map(({ file }) => file);
  const ownNames = [...new Set(allFields.map(({ property }) => property))].filter((name) => !sharedWords.has(name));
  const classesOf = (property: string) =>
    allFields.filter((field) => field.property === property).map(({ fileName }) => `sdk/${fileName}.ts`);

  it.each(ownNames)("%s", (name) => {
    expect(others(name, classesOf(name)).slice(1)).toEqual([]);
  });

  it("a fourth place is named", () => {
    const fourth = { file: "provider/engine/plan.ts", words: wordsIn("const { verifyLink } = inputs;") };
    expect(others("verifyLink", classesOf("verifyLink"), [...files, fourth]).slice(1)).toEqual([fourth.file]);
  });

  it("or its name is a word of the code below as well", () => {
    const below = sourcesIn(["provider/platform", "provider/mirror", "provider/storage", "provider/functions"]);
    const unknown = [...sharedWords].filter((name) => !below.some(({ words }) => words.has(name)));
    expect(unknown).toEqual([]);
  });
});

interface NamedHost {
  host: string;
}

/** The files that know each host by the name of its folder. */
function hostSteps({ host }: NamedHost): readonly Step<NamedHost>[] {
  return [
    { file: "provider/README.md", holds: () => `[${host}/](hosts/${host}/` },
    { file: "tools/check/importRules.ts", holds: () => `"provider/hosts/${host}/",` },
    { file: "docs/architecture.md", holds: () => new RegExp(`^\\| host: .*\`${host}\``, "m") },
    { file: "test/engine/upgrade.test.ts", holds: () => new RegExp(`commit before, ${host}|"${host}"`, "i") },
    { file: `test/support/fixtures/upgrade/${host}.json`, holds: () => `"intendedAt":` },
  ];
}

const hostNames = [...new Set(filesIn(join(projectRoot, "provider/hosts")).map((file) => file.split("/")[0] ?? ""))];

describe("the recipe of a host", () => {
  it.each(hostNames)("is complete: %s", (host) => {
    expect(missing(hostSteps({ host }), { host })).toEqual([]);
  });

  it("names each file that does not know a new host", () => {
    const newHost = { host: "newHost" };
    expect(missing(hostSteps(newHost), newHost)).toEqual(hostSteps(newHost).map(({ file }) => file));
  });
});

it("CONTRIBUTING names each file of a recipe", () => {
  const page = read("CONTRIBUTING.md");
  const shared = [...storeSteps(newStore), ...resourceSteps(newResource), ...hostSteps({ host: "newHost" })].filter(
    ({ file }) => !/newscheme|newResource|NewResource|newHost|CONTRIBUTING/.test(file),
  );
  const files = [...settingSteps, ...errorSteps, ...shared].map(({ file }) => file);
  // A page that is not on the site would be copied into it, where a page links to it.
  const nameOf = (file: string) => (file.endsWith(".md") && !file.startsWith("docs/") ? `\`${file}\`` : `](${file})`);
  expect(files.filter((file) => !page.includes(nameOf(file)))).toEqual([]);
});

it("CONTRIBUTING explains no name that the code does not have", () => {
  const [, table = ""] = read("CONTRIBUTING.md").split("\n## Names\n");
  const names = [...(table.split("\n## ")[0] ?? "").matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, cell = ""]) =>
    cell.split(", "),
  );
  const ofCode = names.filter((name) => /[a-z][A-Z]|^[A-Z]/.test(name));
  const words = sourcesIn(["provider"]).map(({ words: found }) => found);
  expect(ofCode.length).toBeGreaterThan(20);
  expect(ofCode.filter((name) => !words.some((found) => found.has(name)))).toEqual([]);
});
