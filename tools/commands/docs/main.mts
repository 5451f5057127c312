import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../../projectRoot.js";
import { referencePages } from "./reference.mjs";
import { writeSite } from "./site.mjs";

const reference = join(projectRoot, "docs", "reference");
const site = join(projectRoot, "dist", "docs-site");

// `npm run docs`: draws the reference anew from the docstrings, and builds the site.
rmSync(reference, { recursive: true, force: true });
mkdirSync(reference);
for (const [name, text] of await referencePages()) {
  writeFileSync(join(reference, name), text);
}
await writeSite(site);
console.log(`open ${join(site, "index.html")}`);
