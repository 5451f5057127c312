import { copyFile, mkdir, rm, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { projectRoot } from "../../../projectRoot";
import { checksums } from "./archive";
import { nodeArchive } from "./nodeArchive";
import { archiveOf, plugin, version } from "./release";
import { targetNamed, targets } from "./target";

const folder = join(projectRoot, "dist", "release");
const releases = [plugin];

/** `npm run release:plugins [-- <os>-<arch> …]`: writes the archives of all targets, or of those that are named. */
async function main(): Promise<void> {
  const named = process.argv.slice(2);
  const wanted = named.length > 0 ? named.map(targetNamed) : targets;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const files: string[] = [];
  for (const release of releases) {
    for (const target of wanted) {
      const made = await archiveOf(release, target);
      files.push(join(folder, basename(made)));
      await copyFile(made, join(folder, basename(made)));
    }
  }
  const small = join(folder, `pulumi-resource-docs-platform-v${version}-node.tar.gz`);
  await writeFile(small, await nodeArchive());
  files.push(small);
  for (const file of files) {
    console.log(`${((await stat(file)).size / 1e6).toFixed(1)} MB  ${basename(file)}`);
  }
  await writeFile(join(folder, "SHA256SUMS"), await checksums(files.map((file) => ({ name: basename(file), file }))));
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
