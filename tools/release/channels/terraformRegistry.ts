import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ProviderRelease } from "./providerRelease";
import type { Rehearsal } from "./rehearsal";

const provider = "pulumi-docs-platform/docsplatform";

/** A local registry. `source` is the provider's address, which begins with the registry's host and port. */
export interface TerraformRegistry {
  source: string;
  host: string;
  /** The served release. A caller may change it. */
  release: ProviderRelease;
}

/** Serves a release by the protocol of Terraform's registries: discovery, versions, and download with signing keys. */
export async function serveTerraformRegistry(
  rehearsal: Rehearsal,
  release: ProviderRelease,
): Promise<TerraformRegistry> {
  const registry: TerraformRegistry = { source: "", host: "", release };
  registry.host = await rehearsal.serve(({ url = "" }, response) => {
    const { uploaded } = registry.release;
    const file = /^\/files\/([\w.-]+)$/.exec(url)?.[1];
    const found = file === undefined ? undefined : join(uploaded, file);
    const body = found && existsSync(found) ? readFileSync(found) : answerOf(registry, url);
    response.writeHead(body === undefined ? 404 : 200, { "content-type": "application/json" }).end(body);
  });
  registry.source = `${registry.host}/${provider}`;
  return registry;
}

function answerOf({ release, host }: TerraformRegistry, url: string): string | undefined {
  if (url === "/.well-known/terraform.json") {
    return JSON.stringify({ "providers.v1": "/v1/providers/" });
  }
  const read = (name: string) => readFileSync(join(release.uploaded, name), "utf8");
  const describe = (version: string) => {
    const base = `terraform-provider-docsplatform_${version}`;
    const { protocol_versions: protocols } = JSON.parse(read(`${base}_manifest.json`)).metadata;
    const archives = readdirSync(release.uploaded).flatMap((name) => {
      const [, os, arch] = name.startsWith(`${base}_`) ? (/_([a-z]+)_([a-z0-9]+)\.zip$/.exec(name) ?? []) : [];
      return os === undefined ? [] : [{ os, arch, filename: name }];
    });
    return { base, protocols, archives };
  };
  if (url === `/v1/providers/${provider}/versions`) {
    const tags =
      execFileSync("git", ["-C", release.repository, "tag"], { encoding: "utf8" }).match(/(?<=^v).+/gm) ?? [];
    const versions = tags.map((version) => {
      const { protocols, archives } = describe(version);
      return { version, protocols, platforms: archives.map(({ os, arch }) => ({ os, arch })) };
    });
    return JSON.stringify({ versions });
  }
  const [, version = "", os, arch] = /^\/v1\/providers\/.+\/([^/]+)\/download\/([^/]+)\/([^/]+)$/.exec(url) ?? [];
  const { base, protocols, archives } = version === "" ? { base: "", protocols: [], archives: [] } : describe(version);
  const archive = archives.find((each) => each.os === os && each.arch === arch);
  if (archive === undefined) {
    return undefined;
  }
  const sums = `${base}_SHA256SUMS`;
  const at = (name: string) => `https://${host}/files/${name}`;
  return JSON.stringify({
    ...archive,
    protocols,
    download_url: at(archive.filename),
    shasum: read(sums).match(new RegExp(`^\\S+(?=  ${archive.filename}$)`, "m"))?.[0],
    shasums_url: at(sums),
    shasums_signature_url: at(`${sums}.sig`),
    signing_keys: { gpg_public_keys: [{ key_id: "", ascii_armor: release.publicKey }] },
  });
}
