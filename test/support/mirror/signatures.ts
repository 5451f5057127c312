import { createHash, generateKeyPairSync, type KeyObject } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundleFromJSON } from "@sigstore/bundle";
import { toSignedEntity, Verifier } from "@sigstore/verify";
import { temporaryFolder } from "../temporaryFolder";

const bundleType = "application/vnd.dev.sigstore.bundle.v0.3+json";
export const pushedManifestType = "application/vnd.oci.image.manifest.v1+json";
const indexType = "application/vnd.oci.image.index.v1+json";

export interface KeyForTest {
  pem: string;
  file: string;
  source: { file: string; from: string };
  publicKey: KeyObject;
  /** The value of the output `signedBy` for this key. */
  name: string;
  /** Two pieces of the key's PEM text, and its secret number in hexadecimal. */
  secrets: string[];
}

export function keyForTest(folder = temporaryFolder()): KeyForTest {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const file = join(folder, "signing.pem");
  writeFileSync(file, pem, { mode: 0o600 });
  const name = createHash("sha256")
    .update(publicKey.export({ type: "spki", format: "der" }))
    .digest("base64");
  // The secret number has 32 bytes and begins at byte 36. In base64, it begins in the first line and ends in the
  // second.
  const [, first = "", next = ""] = pem.split("\n");
  const bytes = privateKey.export({ type: "pkcs8", format: "der" }).subarray(36, 68);
  const secrets = [first.slice(48), next.slice(0, 26), bytes.toString("hex")];
  return { pem, file, source: { file, from: "the test" }, publicKey, name, secrets };
}

export class RepositoryReader {
  readonly #base: string;

  /** @param name the host, the port and the repository, such as `127.0.0.1:5000/team/docs`. */
  constructor(readonly name: string) {
    const [host, ...repository] = name.split("/");
    this.#base = `http://${host}/v2/${repository.join("/")}/`;
  }

  async get(path: string): Promise<Buffer | undefined> {
    const headers = { accept: "application/vnd.oci.image.index.v1+json, application/vnd.oci.image.manifest.v1+json" };
    const response = await fetch(this.#base + path, { headers });
    return response.ok ? Buffer.from(await response.arrayBuffer()) : undefined;
  }

  async json(path: string): Promise<ReturnType<typeof JSON.parse>> {
    const bytes = await this.get(path);
    return bytes && JSON.parse(bytes.toString());
  }

  async digest(tag: string): Promise<string> {
    return `sha256:${createHash("sha256")
      .update((await this.get(`manifests/${tag}`)) ?? "")
      .digest("hex")}`;
  }

  async put(path: string, body: Buffer | object, contentType: string): Promise<void> {
    const sent = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
    const response = await fetch(this.#base + path, {
      method: "PUT",
      headers: { "content-type": contentType },
      body: new Uint8Array(sent),
    });
    if (!response.ok) {
      throw new Error(`PUT ${path}: ${response.status}`);
    }
  }

  async remove(path: string): Promise<void> {
    await fetch(this.#base + path, { method: "DELETE" });
  }

  async putBlob(bytes: Buffer): Promise<{ digest: string; size: number }> {
    const digest = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
    const begun = await fetch(`${this.#base}blobs/uploads/`, { method: "POST" });
    const upload = new URL(begun.headers.get("location") ?? "", this.#base);
    upload.searchParams.set("digest", digest);
    await fetch(upload, { method: "PUT", body: new Uint8Array(bytes) });
    return { digest, size: bytes.length };
  }

  /**
   * Adds a bundle as a referrer of a manifest. Some registries keep no list of referrers, so this function also writes
   * such a list to a tag.
   */
  async addBundle(subject: string, bundle: object, annotations: object = {}): Promise<void> {
    const empty = { mediaType: "application/vnd.oci.empty.v1+json", ...(await this.putBlob(Buffer.from("{}"))) };
    const layer = { mediaType: bundleType, ...(await this.putBlob(Buffer.from(JSON.stringify(bundle)))) };
    const described = { mediaType: indexType, digest: subject, size: (await this.get(`manifests/${subject}`))?.length };
    const manifest = { schemaVersion: 2, mediaType: pushedManifestType, artifactType: bundleType, config: empty };
    const body = Buffer.from(JSON.stringify({ ...manifest, layers: [layer], subject: described, annotations }));
    const digest = `sha256:${createHash("sha256").update(body).digest("hex")}`;
    await this.put(`manifests/${digest}`, body, pushedManifestType);
    const entry = { mediaType: pushedManifestType, digest, size: body.length, artifactType: bundleType };
    await this.changeReferrersTag(subject, (entries) => [...entries, entry]);
  }

  async changeReferrersTag(subject: string, change: (entries: { digest: string }[]) => object[]): Promise<void> {
    const tag = `manifests/${subject.replace(":", "-")}`;
    const { manifests = [] } = (await this.json(tag)) ?? {};
    await this.put(tag, { schemaVersion: 2, mediaType: indexType, manifests: change(manifests) }, indexType);
  }

  /** Removes the manifest of each bundle that `isGone` selects, and also the bundle's entry in the referrers tag. */
  async removeBundles(subject: string, isGone: (statement: ReturnType<typeof JSON.parse>) => boolean): Promise<void> {
    for (const { referrer, bundle } of await this.bundles(subject)) {
      if (isGone(JSON.parse(Buffer.from(bundle.dsseEnvelope.payload, "base64").toString()))) {
        await this.changeReferrersTag(subject, (entries) => entries.filter(({ digest }) => digest !== referrer));
        await this.remove(`manifests/${referrer}`);
      }
    }
  }

  /** Returns the bundles that refer to a manifest, each with its referrer's digest. */
  async bundles(digest: string): Promise<{ referrer: string; bundle: ReturnType<typeof JSON.parse> }[]> {
    const tag = digest.replace(":", "-");
    const listed = (await this.json(`referrers/${digest}`)) ?? (await this.json(`manifests/${tag}`));
    const found = [];
    for (const entry of listed?.manifests ?? []) {
      const manifest = entry.artifactType === bundleType ? await this.json(`manifests/${entry.digest}`) : undefined;
      if (manifest) {
        found.push({ referrer: entry.digest, bundle: await this.json(`blobs/${manifest.layers[0].digest}`) });
      }
    }
    return found;
  }
}

const offline = { tlogThreshold: 0, ctlogThreshold: 0, timestampThreshold: 0 };

/** @returns undefined if the signature is not valid by the rules of sigstore. */
export function verifiedStatement(bundle: unknown, publicKey: KeyObject): ReturnType<typeof JSON.parse> {
  const authorities = { certificateAuthorities: [], timestampAuthorities: [], tlogs: [], ctlogs: [] };
  const trust = { ...authorities, publicKey: () => ({ publicKey, validFor: () => true }) };
  try {
    const parsed = bundleFromJSON(bundle);
    new Verifier(trust, offline).verify(toSignedEntity(parsed));
    const envelope = parsed.content.$case === "dsseEnvelope" ? parsed.content.dsseEnvelope : undefined;
    return JSON.parse(envelope?.payload.toString() ?? "");
  } catch {
    return undefined;
  }
}

/**
 * True if cosign 3 would accept the image. At least one bundle must have a valid signature for the image's digest.
 * Cosign ignores all other fields of the signed statement.
 */
export async function isAccepted(repository: RepositoryReader, digest: string, publicKey: KeyObject): Promise<boolean> {
  return (await repository.bundles(digest)).some(({ bundle }) => {
    const statement = verifiedStatement(bundle, publicKey);
    return `sha256:${statement?.subject[0].digest.sha256}` === digest;
  });
}
