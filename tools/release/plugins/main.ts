import { createWriteStream } from "node:fs";
import { copyFile, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import { pipeline } from "node:stream/promises";
import { projectRoot } from "../../projectRoot";
import { writeOciLayout } from "../terraform/ociLayout";
import { writeRegistryDocs, writeRegistryFiles } from "../terraform/registryFiles";
import { checksums, type ReleaseFile, tar } from "./archive";
import { nodeArchive } from "./nodeArchive";
import { archiveOf, pluginRelease, type Release, terraformProvider, version } from "./release";
import { type Target, targetNamed, targets } from "./target";

const folder = join(projectRoot, "dist", "release");
const terraform = join(projectRoot, "dist", "terraform");

/**
 * `npm run release:plugins [-- <os>-<arch> …]`: writes the archives of the plugin and of Terraform's provider, for all targets or
 * for those that are named; for registries the provider's pages, and its archives as an OCI image layout.
 */
async function main(): Promise<void> {
  const named = process.argv.slice(2);
  const wanted = named.length > 0 ? named.map(targetNamed) : targets;
  for (const old of [folder, terraform]) {
    await rm(old, { recursive: true, force: true });
  }
  await mkdir(folder, { recursive: true });
  const small = `pulumi-resource-docs-platform-v${version}-node.tar.gz`;
  await writeFile(join(folder, small), await nodeArchive());
  const provider = await writeArchives(terraformProvider, wanted);
  const beside = await writeRegistryFiles(folder, version, provider);
  const archives = wanted.map((target) => ({ target, file: join(folder, terraformProvider.archive(version, target)) }));
  await writeOciLayout(join(terraform, "oci"), version, archives);
  const layout = `terraform-provider-docsplatform_${version}_oci.tar`;
  const blobs = await filesOf(terraform, "oci");
  await pipeline(tar(blobs), createWriteStream(join(folder, layout)));
  const names = [...(await writeArchives(pluginRelease, wanted)), small, ...provider, ...beside, layout];
  const files = names.map((name) => ({ name, file: join(folder, name) }));
  for (const { name, file } of files) {
    console.log(`${((await stat(file)).size / 1e6).toFixed(1)} MB  ${name}`);
  }
  await writeFile(join(folder, "SHA256SUMS"), await checksums(files));
  await writeRegistryDocs(join(terraform, "docs"));
}

/** Everything in a folder, by its path from `root`, in the order of the paths. */
async function filesOf(root: string, folder: string): Promise<ReleaseFile[]> {
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const read = async (path: string) => ({ name: relative(root, path), content: await readFile(path) });
  return Promise.all(paths.sort().map(read));
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
