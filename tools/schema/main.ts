import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../projectRoot";
import { generateSchema } from "./schema";
import { generateTerraformSchema } from "./terraform";

/** Writes the schemas of the plugin and of Terraform's host. A test compares the committed files with its output. */
function write(schema: object, ...path: string[]): void {
  writeFileSync(join(projectRoot, ...path), `${JSON.stringify(schema, null, 2)}\n`);
}

write(generateSchema(), "plugin", "schema.json");
write(generateTerraformSchema(), "provider", "hosts", "terraform", "schema.json");
