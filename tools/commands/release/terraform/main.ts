import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { projectRoot } from "../../../projectRoot";
import { archiveProvider, scriptTargets } from "./archive";
import { registryDocs } from "./registryDocs";

/** `npm run release:terraform [-- <os>_<arch> …]`: writes the archives of Terraform's provider, and its pages, to dist/release. */
async function main(targets: readonly string[]): Promise<void> {
  const { version } = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));
  const folder = join(projectRoot, "dist", "release");
  const written = await archiveProvider(folder, version, targets.length > 0 ? targets : scriptTargets);
  for (const [path, text] of registryDocs()) {
    const file = join(folder, "terraform", "docs", path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  console.log(written.map((name) => join("dist", "release", name)).join("\n"));
}

void main(process.argv.slice(2));
