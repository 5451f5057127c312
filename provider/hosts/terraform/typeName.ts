import { snakeCase } from "../../support/letterCase";

/** What Terraform calls a resource: `docsplatform_static_export` for `StaticExport`. */
export function typeName(resource: string): string {
  return `docsplatform${snakeCase(resource)}`;
}
