import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../projectRoot.js";
import { referencePages } from "./reference.mjs";
import { registryPages } from "./registryPages.mjs";
import { writeSite } from "./site.mjs";

const docs = join(projectRoot, "docs");
const reference = join(docs, "reference");
const site = join(projectRoot, "dist", "docs-site");

// `npm run docs`: writes the reference and the pages of Pulumi's registry, and builds the site.
rmSync(reference, { recursive: true, force: true });
mkdirSync(reference);
for (const [name, text] of await referencePages()) {
  writeFileSync(join(reference, name), text);
}
for (const [name, text] of registryPages()) {
  writeFileSync(join(docs, name), text);
}
await writeSite(site);
console.log(`open ${join(site, "index.html")}`);
