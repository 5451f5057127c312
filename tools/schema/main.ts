import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../projectRoot";
import { chartFiles } from "./chartFiles";
import { generateSchema } from "./generateSchema";
import { generateTerraformSchema } from "./generateTerraformSchema";

/** Tests compare the committed files with this output. */
function write(text: string, ...path: string[]): void {
  writeFileSync(join(projectRoot, ...path), text);
}

const json = (schema: object) => `${JSON.stringify(schema, null, 2)}\n`;

write(json(generateSchema()), "plugin", "schema.json");
write(json(generateTerraformSchema()), "provider", "hosts", "terraform", "schema.json");
for (const [path, text] of chartFiles()) {
  write(text, path);
}
