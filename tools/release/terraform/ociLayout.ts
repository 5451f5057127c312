import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Target } from "../plugins/target";

/** The artifact types by which OpenTofu recognises a version of a provider, and its archive for one platform. */
const [providerType, targetType] = ["application/vnd.opentofu.provider", "application/vnd.opentofu.provider-target"];

const indexType = "application/vnd.oci.image.index.v1+json";
const manifestType = "application/vnd.oci.image.manifest.v1+json";

/**
 * Writes the archives of a version as an OCI image layout, which every OCI tool can push into a registry. OpenTofu
 * installs the provider from there (`oci_mirror`).
 * @param folder is made.
 */
export async function writeOciLayout(
  folder: string,
  version: string,
  archives: readonly { target: Target; file: string }[],
): Promise<void> {
  const blobs = join(folder, "blobs", "sha256");
  const put = async (mediaType: string, content: Buffer) => {
    const sha256 = createHash("sha256").update(content).digest("hex");
    await writeFile(join(blobs, sha256), content);
    return { mediaType, digest: `sha256:${sha256}`, size: content.length };
  };
  const describe = async (mediaType: string, artifactType: string, parts: object) => {
    const manifest = { schemaVersion: 2, mediaType, artifactType, ...parts };
    return { ...(await put(mediaType, Buffer.from(JSON.stringify(manifest)))), artifactType };
  };
  await mkdir(blobs, { recursive: true });
  const config = await put("application/vnd.oci.empty.v1+json", Buffer.from("{}"));
  const manifests: object[] = [];
  for (const { target, file } of archives) {
    const layers = [await put("archive/zip", await readFile(file))];
    const platform = { architecture: target.arch, os: target.os };
    manifests.push({ ...(await describe(manifestType, targetType, { config, layers })), platform });
  }
  const index = await describe(indexType, providerType, { manifests });
  // A tag may not hold a plus sign. OpenTofu reads an underscore as one.
  const annotations = { "org.opencontainers.image.ref.name": version.replaceAll("+", "_") };
  const entry = { schemaVersion: 2, mediaType: indexType, manifests: [{ ...index, annotations }] };
  await writeFile(join(folder, "index.json"), JSON.stringify(entry));
  await writeFile(join(folder, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
}
