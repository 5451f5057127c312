import { createHash } from "node:crypto";
import { Attempts } from "../attempt";
import { parseJson } from "../textFile";
import { RegistryClient } from "./client";
import type { OciDestination } from "./destination";
import { explainRegistryFault, forbidsDeletion } from "./error";
import { hasBlob, writeBlob, writeSmallBlob } from "./writer";

/** How a manifest describes a blob. */
export interface Descriptor {
  mediaType: string;
  /** The digest, such as `sha256:…`, in lower-case hexadecimal digits. */
  digest: string;
  size: number;
  annotations?: Record<string, string>;
  platform?: { architecture: string; os: string };
}

/** The manifest of an image or of an artifact, by version 1.1 of the image specification. */
export interface OciManifest {
  artifactType?: string;
  config: Descriptor;
  layers: readonly Descriptor[];
  annotations?: Record<string, string>;
}

/** An index: an image for each platform. */
export interface OciIndex {
  manifests: readonly Descriptor[];
}

const manifestType = "application/vnd.oci.image.manifest.v1+json";
const indexType = "application/vnd.oci.image.index.v1+json";

/** A manifest as the registry gave it. Its content is a claim: it may be anything. */
export interface FoundManifest {
  digest: string;
  manifest: (Partial<OciManifest> & Partial<OciIndex>) | undefined;
}

/**
 * A repository of a registry. Every method throws an error of `support/errors`, or the error that the given content has
 * thrown.
 */
export class OciStore {
  readonly #destination: OciDestination;
  readonly #client: RegistryClient;
  readonly #attempts: Attempts;

  /** @param signal stops every operation that has no signal of its own. */
  constructor(destination: OciDestination, signal: AbortSignal) {
    this.#destination = destination;
    this.#client = new RegistryClient(destination, signal);
    const place = `the repository ${destination.repository} at the registry ${destination.registry}`;
    this.#attempts = new Attempts({ place, explain: explainRegistryFault, signal });
  }

  /**
   * Stores content as a blob, whole or not at all.
   * @param digest returns the digest of the whole content; called after the last byte.
   */
  putBlob(content: AsyncIterable<Buffer>, digest: () => string, signal: AbortSignal): Promise<void> {
    return this.#attempts.write(content, signal, (observed) => writeBlob(this.#client, observed, digest, signal));
  }

  /** Stores a small JSON text as a blob. */
  putJson(mediaType: string, value: unknown, signal: AbortSignal): Promise<Descriptor> {
    return this.#attempts.run(async () => {
      const bytes = Buffer.from(JSON.stringify(value));
      const digest = digestOf(bytes);
      await writeSmallBlob(this.#client, bytes, digest, signal);
      return { mediaType, digest, size: bytes.length };
    });
  }

  /**
   * Stores a manifest or an index. Its parts must already be in the repository. Without a tag, only the digest
   * identifies it.
   */
  putManifest(manifest: OciManifest | OciIndex, signal: AbortSignal, tag?: string): Promise<Descriptor> {
    return this.#attempts.run(async () => {
      const body = bytesOf(manifest);
      const described = { mediaType: typeOf(manifest), digest: digestOf(body), size: body.length };
      const path = `manifests/${tag ?? described.digest}`;
      await this.#client.send({ method: "PUT", path, headers: { "content-type": described.mediaType }, body, signal });
      return described;
    });
  }

  /** Gets the manifest of a tag or a digest; undefined if there is none. Only its digest is certain. */
  getManifest(tag: string): Promise<FoundManifest | undefined> {
    return this.#attempts.run(async () => {
      const headers = { accept: `${manifestType}, ${indexType}, */*` };
      const path = `manifests/${tag}`;
      const { status, body } = await this.#client.send({ method: "GET", path, headers, accepts: isMissing });
      return status === 404
        ? undefined
        : {
            digest: digestOf(body),
            manifest: (parseJson(body.toString("utf8")) ?? undefined) as FoundManifest["manifest"],
          };
    });
  }

  hasBlob(digest: string): Promise<boolean> {
    return this.#attempts.run(() => hasBlob(this.#client, digest));
  }

  /**
   * Removes a tag. A missing tag is no error.
   * @returns true if the registry allows it.
   */
  removeTag(tag: string, signal?: AbortSignal): Promise<boolean> {
    return this.#attempts.run(async () => {
      try {
        await this.#client.send({ method: "DELETE", path: `manifests/${tag}`, accepts: isMissing, signal });
        return true;
      } catch (error) {
        if (forbidsDeletion(error)) {
          return false;
        }
        throw error;
      }
    });
  }

  /**
   * Returns the full name of a manifest, which every image tool accepts.
   * @param suffix a tag (`:tag`) or a digest (`@sha256:…`).
   */
  reference(suffix: string): string {
    const { registry, repository } = this.#destination;
    return `${registry}/${repository}${suffix}`;
  }

  close(): void {
    this.#client.close();
  }
}

function isMissing(status: number): boolean {
  return status === 404;
}

export function manifestDigest(manifest: OciManifest | OciIndex): string {
  return digestOf(bytesOf(manifest));
}

function bytesOf(manifest: OciManifest | OciIndex): Buffer {
  return Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: typeOf(manifest), ...manifest }));
}

function typeOf(manifest: OciManifest | OciIndex): string {
  return "manifests" in manifest ? indexType : manifestType;
}

function digestOf(bytes: Buffer): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}
