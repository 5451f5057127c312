import { homedir } from "node:os";
import { join } from "node:path";
import { snakeCase, type Words } from "../../support/words";

/** The vocabulary of Terraform and OpenTofu. */
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
  home: () => join(homedir(), ".terraform.d"),
};

/** Returns Terraform's name for a resource: `docsplatform_static_export` for `StaticExport`. */
export function typeName(resource: string): string {
  return `docsplatform${snakeCase(resource)}`;
}
