import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type AttributeSchema,
  type BlockSchema,
  type FunctionSignature,
  type ProviderSchema,
  providerSchema,
} from "../../../provider/hosts/terraform/schema";
import { projectRoot } from "../../projectRoot";

/** Returns the provider's pages for a registry: the text of each page, by its path below `docs/`. */
export function registryDocs(): Map<string, string> {
  const { provider, resources, dataSources, ephemeralResources, actions, functions } = providerSchema;
  return new Map([
    ["index.md", page("docsplatform provider", provider, readExample("quickstart"))],
    ...pages("resources", resources, "Resource"),
    ...pages("data-sources", dataSources, "Data source"),
    ...pages("ephemeral-resources", ephemeralResources, "Ephemeral resource"),
    ...pages("actions", actions, "Action"),
    ...Object.entries(functions).map(([name, signature]): [string, string] => [
      `functions/${name}.md`,
      functionPage(name, signature),
    ]),
    ["guides/terraform.md", guide()],
  ]);
}

function pages(folder: string, blocks: Readonly<Record<string, BlockSchema>>, kind: string): [string, string][] {
  return Object.entries(blocks).map(([name, block]) => [
    `${folder}/${name.replace("docsplatform_", "")}.md`,
    page(
      `${name} (${kind})`,
      block,
      exampleOf(`${kind === "Ephemeral resource" ? "ephemeral" : kind.toLowerCase()} "${name}"`),
    ),
  ]);
}

function page(
  title: string,
  { description, attributes }: ProviderSchema["provider"],
  example: string | undefined,
): string {
  const entries = Object.entries(attributes);
  const lists = [
    list(
      "Required",
      entries.filter(([, { required }]) => required),
    ),
    list(
      "Optional",
      entries.filter(([, { optional }]) => optional),
    ),
    list(
      "Read-only",
      entries.filter(([, { required, optional }]) => !required && !optional),
    ),
  ];
  const shown = example === undefined ? [] : ["## Example", `\`\`\`terraform\n${example.trim()}\n\`\`\``];
  return [heading(title, description), description, ...shown, "## Schema", ...lists.flat(), ""].join("\n\n");
}

/** Returns the title of a page, after the front matter that registries read. */
function heading(title: string, description: string): string {
  const [summary = ""] = description.split(/(?<=\.)\s/);
  return `---\npage_title: ${JSON.stringify(title)}\ndescription: ${JSON.stringify(summary)}\n---\n\n# ${title}`;
}

function list(title: string, attributes: readonly [string, AttributeSchema][]): string[] {
  const items = attributes.map(
    ([name, { type, sensitive, description }]) =>
      `- \`${name}\` (${[typeName(type), ...(sensitive ? ["Sensitive"] : [])].join(", ")}) ${description}`,
  );
  return items.length === 0 ? [] : [`### ${title}`, items.join("\n")];
}

function functionPage(name: string, { description, parameters, returns }: FunctionSignature): string {
  const called = `${name}(${parameters.map((each) => `${each.name} ${typeName(each.type)}`).join(", ")}) ${typeName(returns)}`;
  const items = parameters.map((each) => `- \`${each.name}\` (${typeName(each.type)}) ${each.description}`);
  const example = exampleOf(`provider::docsplatform::${name}(`);
  const shown = example === undefined ? [] : ["## Example", `\`\`\`terraform\n${example.trim()}\n\`\`\``];
  const signature = ["## Signature", `\`\`\`text\n${called}\n\`\`\``, "## Arguments", items.join("\n"), ""];
  return [heading(`${name} (Function)`, description), description, ...shown, ...signature].join("\n\n");
}

/** Returns the section "Differences from Pulumi" of docs/terraform.md, as a page of its own. */
function guide(): string {
  const text = readFileSync(join(projectRoot, "docs", "terraform.md"), "utf8");
  const [, differences = ""] = text.split("## Differences from Pulumi");
  return `${heading("What to know", "How the provider differs from what Terraform's users expect.")}\n${differences}`;
}

function typeName(type: unknown): string {
  const names: Record<string, string> = { string: "String", bool: "Boolean", number: "Number", dynamic: "Dynamic" };
  return names[String(type)] ?? "Object";
}

const examples = join(projectRoot, "examples", "terraform");

function readExample(name: string): string {
  return readFileSync(join(examples, name, "main.tf"), "utf8");
}

/** Returns the first example that contains this code. The tests run every example. */
function exampleOf(code: string): string | undefined {
  return readdirSync(examples)
    .map(readExample)
    .find((text) => text.includes(code));
}
