import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The package's own root, which is as far from the source as from what is built of it. */
const manifest = require.resolve("pulumi-docs-platform/package.json");

export function schemaText(): string {
  return readFileSync(join(dirname(manifest), "plugin", "schema.json"), "utf8");
}
