import { copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { projectRoot } from "../../projectRoot";
import { projectAddress } from "../plugins/release";
import { checksums } from "../plugins/releaseArchives";
import { registryDocs } from "./registryDocs";

/** The manifest, from which a registry reads the protocol version of the provider. */
const manifest = JSON.stringify({ version: 1, metadata: { protocol_versions: ["6.0"] } });

/** Writes the files that a registry needs besides the archives: a manifest and the sha256 sums. Returns their names. */
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

/** Registries read the provider's pages from tags of `terraform-provider-docsplatform`. Removes the earlier content. */
export async function writeProviderRepository(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "terraform-registry-manifest.json"), manifest);
  await writeFile(join(folder, "README.md"), readme);
  await copyFile(join(projectRoot, "LICENSE"), join(folder, "LICENSE"));
  for (const [path, text] of registryDocs()) {
    await mkdir(join(folder, "docs", dirname(path)), { recursive: true });
    await writeFile(join(folder, "docs", path), text);
  }
}

const readme = `# terraform-provider-docsplatform

The releases of this provider, for the registries of Terraform and OpenTofu. Each is made by a release of
[its project](${projectAddress}), which has the sources, the issues and [the guide](${projectAddress}/blob/main/docs/terraform.md).
`;
