import { pathInHome } from "../../support/pathInHome";
import { camelCase, type HostVocabulary, snakeCase } from "../../support/words";

export const terraformWords: HostVocabulary = {
  host: "terraform",
  run: "terraform apply",
  preview: "plan",
  withoutRefresh: "`terraform plan -refresh=false`",
  replace: "terraform apply -replace=<address>",
  target: "terraform apply -target=<address>",
  name: snakeCase,
  type: terraformTypeNameOf,
  place: (setting) => `${snakeCase(setting)} in the provider block`,
  give: (setting) => `${snakeCase(setting)} in the provider block`,
  argument: (name, value) => `${snakeCase(name)} = ${value}`,
  // In HCL, a block on one line can contain only one argument. So the text names the domain in words.
  adoption: (domain, jobId) => `job_id = ${jobId}, in the resource "docsplatform_static_export" of domain ${domain}`,
  routes(templates) {
    const lines = Object.entries(templates).map(([name, template]) => `${snakeCase(name)} = ${hclText(template)}`);
    return `routes = { ${lines.join(", ")} }`;
  },
  deleteFirst: "create_before_destroy = false",
  createFirst: "create_before_destroy = true",
  home: () => pathInHome(".terraform.d"),
};

/** In HCL, `${` begins an expression, and `$${` stands for the characters `${`. */
function hclText(text: string): string {
  return JSON.stringify(text).replaceAll("${", () => "$${");
}

const prefix = "docsplatform";

export function terraformTypeNameOf(resource: string): string {
  return `${prefix}${snakeCase(resource)}`;
}

export function definitionNameOf(terraformName: string): string {
  return camelCase(terraformName.startsWith(prefix) ? terraformName.slice(prefix.length) : terraformName);
}
