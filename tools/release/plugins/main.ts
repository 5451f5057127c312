import { copyFile, mkdir, rm, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { projectRoot } from "../../projectRoot";
import { writeRegistryDocs, writeRegistryFiles } from "../terraform/registryFiles";
import { checksums } from "./archive";
import { nodeArchive } from "./nodeArchive";
import { archiveOf, pluginRelease, type Release, terraformProvider, version } from "./release";
import { type Target, targetNamed, targets } from "./target";

const folder = join(projectRoot, "dist", "release");

/**
 * `npm run release:plugins [-- <os>-<arch> …]`: writes the archives of the plugin and of Terraform's provider, for all targets or
 * for those that are named; and the provider's pages for registries.
 */
async function main(): Promise<void> {
  const named = process.argv.slice(2);
  const wanted = named.length > 0 ? named.map(targetNamed) : targets;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const small = `pulumi-resource-docs-platform-v${version}-node.tar.gz`;
  await writeFile(join(folder, small), await nodeArchive());
  const provider = await writeArchives(terraformProvider, wanted);
  const beside = await writeRegistryFiles(folder, version, provider);
  const names = [...(await writeArchives(pluginRelease, wanted)), small, ...provider, ...beside];
  const files = names.map((name) => ({ name, file: join(folder, name) }));
  for (const { name, file } of files) {
    console.log(`${((await stat(file)).size / 1e6).toFixed(1)} MB  ${name}`);
  }
  await writeFile(join(folder, "SHA256SUMS"), await checksums(files));
  await writeRegistryDocs(join(projectRoot, "dist", "terraform", "docs"));
}

async function writeArchives(release: Release, wanted: readonly Target[]): Promise<string[]> {
  const names: string[] = [];
  for (const target of wanted) {
    const made = await archiveOf(release, target);
    names.push(basename(made));
    await copyFile(made, join(folder, basename(made)));
  }
  return names;
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
