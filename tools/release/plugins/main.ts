import { copyFile, mkdir, rm, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { projectRoot } from "../../projectRoot";
import { writeProviderRepository, writeRegistryFiles } from "../terraform/registryFiles";
import { nodeArchive } from "./nodeArchive";
import { makeReleaseArchive, pluginRelease, type Release, terraformProvider, version } from "./release";
import { checksums } from "./releaseArchives";
import { type Target, targetNamed, targets } from "./target";

/** Writes the archives of the plugin and of Terraform's provider. The folder's earlier content is removed. */
export async function writeRelease(folder: string, wanted: readonly Target[]): Promise<string[]> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const small = `pulumi-resource-docs-platform-v${version}-node.tar.gz`;
  await writeFile(join(folder, small), await nodeArchive());
  const provider = await writeArchives(folder, terraformProvider, wanted);
  const beside = await writeRegistryFiles(folder, version, provider);
  const names = [...(await writeArchives(folder, pluginRelease, wanted)), small, ...provider, ...beside];
  const files = names.map((name) => ({ name, file: join(folder, name) }));
  await writeFile(join(folder, "SHA256SUMS"), await checksums(files));
  return names;
}

async function writeArchives(folder: string, release: Release, wanted: readonly Target[]): Promise<string[]> {
  const names: string[] = [];
  for (const target of wanted) {
    const made = await makeReleaseArchive(release, target);
    names.push(basename(made));
    await copyFile(made, join(folder, basename(made)));
  }
  return names;
}

/** `npm run release:plugins [-- <os>-<arch> …]`: writes the archives for these targets, by default for all targets. */
async function main(): Promise<void> {
  const named = process.argv.slice(2);
  const folder = join(projectRoot, "dist", "release");
  for (const name of await writeRelease(folder, named.length > 0 ? named.map(targetNamed) : targets)) {
    console.log(`${((await stat(join(folder, name))).size / 1e6).toFixed(1)} MB  ${name}`);
  }
  await writeProviderRepository(join(projectRoot, "dist", "terraform"));
}

if (require.main === module) {
  main().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  });
}
