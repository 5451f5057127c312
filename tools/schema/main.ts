import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../projectRoot";
import { generateSchema } from "./schema";

/** Writes the plugin's schema; a test holds the committed file to what this writes. */
writeFileSync(join(projectRoot, "plugin", "schema.json"), `${JSON.stringify(generateSchema(), null, 2)}\n`);
