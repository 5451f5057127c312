import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { projectRoot } from "../../../tools/projectRoot";
import { conventionProblems, type PulumiSchema } from "../../../tools/schema/conventions";

const read = (file: string) => JSON.parse(readFileSync(join(projectRoot, file), "utf8"));
const committed = (): PulumiSchema => read("plugin/schema.json");

it("the schema keeps the conventions of Pulumi's registry, with an example in six languages for each resource and function", () => {
  expect(conventionProblems(committed())).toEqual([]);
});

it("the schema and the npm package name one repository", () => {
  const { repository, homepage, bugs } = read("package.json");
  const { repository: address } = committed();
  expect({ repository, homepage, bugs }).toEqual({
    repository: { type: "git", url: `git+${address}.git` },
    homepage: `${address}#readme`,
    bugs: `${address}/issues`,
  });
});

const site = "docs-platform:index:StaticExport";

it.each<[string, (schema: PulumiSchema) => unknown]>([
  ["publisher is missing", (schema) => delete (schema as Partial<PulumiSchema>).publisher],
  ["logoUrl is no https address", (schema) => Object.assign(schema, { logoUrl: "logo.svg" })],
  ["keywords: there must be one category/…", (schema) => schema.keywords.pop()],
  [
    "language.nodejs.packageName: @pulumi/docs-platform is not a name of this project's own",
    ({ language }) => Object.assign(language.nodejs ?? {}, { packageName: "@pulumi/docs-platform" }),
  ],
  ["language.java.basePackage: nothing is not a name of this project's own", ({ language }) => delete language.java],
  [
    "language.csharp.rootNamespace: Pulumi is not a name of this project's own",
    ({ language }) => Object.assign(language.csharp ?? {}, { rootNamespace: "Pulumi" }),
  ],
  [
    "language.go.importBasePath: example.com/go is no path of https://github.com/pulumi-docs-platform/pulumi-docs-platform",
    ({ language }) => Object.assign(language.go ?? {}, { importBasePath: "example.com/go" }),
  ],
  [
    "docs-platform:Other:Thing is not of the module index",
    ({ types }) => Object.assign(types, { "docs-platform:Other:Thing": {} }),
  ],
  [
    `${site}: there is no example in java`,
    ({ resources }) =>
      Object.assign(resources[site] ?? {}, { description: resources[site]?.description?.replace("```java", "```") }),
  ],
  [
    `${site}.domain has no description`,
    ({ resources }) => delete resources[site]?.inputProperties?.domain?.description,
  ],
])("a schema against them is refused: %s", (problem, spoil) => {
  const schema = committed();
  spoil(schema);
  expect(conventionProblems(schema)).toContain(problem);
});
