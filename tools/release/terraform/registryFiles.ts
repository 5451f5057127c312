import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { checksums } from "../plugins/archive";
import { registryDocs } from "./registryDocs";

/** Tells a registry which protocol the provider speaks. */
const manifest = JSON.stringify({ version: 1, metadata: { protocol_versions: ["6.0"] } });

/**
 * Writes the files that a registry wants beside the archives: a manifest, and the sha256 sums of all files.
 * @param folder holds the archives.
 * @returns the names of the new files.
 */
export async function writeRegistryFiles(
  folder: string,
  version: string,
  archives: readonly string[],
): Promise<readonly string[]> {
  const base = `terraform-provider-docsplatform_${version}`;
  const [manifestName, sumsName] = [`${base}_manifest.json`, `${base}_SHA256SUMS`];
  await writeFile(join(folder, manifestName), manifest);
  const summed = [...archives, manifestName].map((name) => ({ name, file: join(folder, name) }));
  await writeFile(join(folder, sumsName), await checksums(summed));
  return [manifestName, sumsName];
}

/** Writes the pages that a registry shows: it takes them from the folder `docs/` of a repository. */
export async function writeRegistryDocs(folder: string): Promise<void> {
  for (const [path, text] of registryDocs()) {
    await mkdir(join(folder, dirname(path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}
