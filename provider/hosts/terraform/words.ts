import { inHome } from "../../support/homeFolder";
import { camelCase, snakeCase, type Words } from "../../support/words";

export const terraformWords: Words = {
  run: "terraform apply",
  preview: "plan",
  replace: "terraform apply -replace=<address>",
  name: snakeCase,
  place: (setting) => `${snakeCase(setting)} in the provider block`,
  give: (setting) => `${snakeCase(setting)} in the provider block`,
  argument: (name, value) => `${snakeCase(name)} = ${value}`,
  // A block on one line can hold only one argument, so the domain is named outside of it.
  adoption: (domain, jobId) => `job_id = ${jobId}, in the resource "docsplatform_static_export" of domain ${domain}`,
  deleteFirst: "create_before_destroy = false",
  home: () => inHome(".terraform.d"),
};

const prefix = "docsplatform";

export function typeName(resource: string): string {
  return `${prefix}${snakeCase(resource)}`;
}

export function definedName(terraformName: string): string {
  return camelCase(terraformName.startsWith(prefix) ? terraformName.slice(prefix.length) : terraformName);
}
