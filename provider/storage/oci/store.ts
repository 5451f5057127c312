import { parseJsonObject } from "../../support/parseJsonObject";
import { type AttemptLimits, StorageRetrier } from "../attempt";
import {
  descriptorsIn,
  digestOf,
  encodeManifest,
  type FoundManifest,
  type ImageStore,
  imageIndexMediaType,
  imageManifestMediaType,
  mediaTypeOf,
  type OciDescriptor,
  type OciIndex,
  type OciManifest,
  type Referrer,
} from "../imageStore";
import {
  lacksBlob,
  probeUploadPermission,
  readBlob,
  requireRegistryNotFound,
  writeBlob,
  writeSmallBlob,
} from "./blobs";
import { RegistryClient } from "./client";
import type { OciDestination } from "./destination";
import {
  addRefusedMediaTypes,
  explainRegistryFault,
  forbidsDeletion,
  RegistryRefusalError,
  saysMissing,
} from "./error";

export class OciRegistryStore implements ImageStore {
  readonly #client: RegistryClient;
  readonly #attempts: StorageRetrier;

  constructor(
    private readonly destination: OciDestination,
    limits: AttemptLimits,
  ) {
    const place = `the repository ${destination.repository} at the registry ${destination.registry}`;
    const explain = (error: unknown) => explainRegistryFault(error, this.#client.credentialsText);
    this.#attempts = new StorageRetrier({ ...limits, place, explain });
    this.#client = new RegistryClient(destination, this.#attempts, limits.signal, limits.clock);
  }

  putBlob(open: () => AsyncIterable<Buffer>, digest: () => string, signal: AbortSignal): Promise<void> {
    let isBroken = false;
    const write = (content: AsyncIterable<Buffer>) => {
      isBroken = false;
      return writeBlob(this.#client, content, digest, signal, () => {
        isBroken = true;
      });
    };
    return this.#attempts.write(open, signal, write, () => isBroken);
  }

  putBytes(mediaType: string, bytes: Buffer, signal?: AbortSignal): Promise<OciDescriptor> {
    return this.#attempts.run(async () => {
      const digest = digestOf(bytes);
      await writeSmallBlob(this.#client, bytes, digest, signal);
      return { mediaType, digest, size: bytes.length };
    });
  }

  putManifest(manifest: OciManifest | OciIndex, signal?: AbortSignal, tag?: string): Promise<OciDescriptor> {
    return this.#attempts.run(async () => (await this.#put(manifest, signal, tag)).descriptor);
  }

  requireUpload(signal: AbortSignal): Promise<void> {
    return this.#attempts.run(() => probeUploadPermission(this.#client, signal));
  }

  async requireAccepted(manifest: OciManifest, signal: AbortSignal): Promise<void> {
    await this.putManifest(manifest, signal);
  }

  async #put(manifest: OciManifest | OciIndex, signal?: AbortSignal, tag?: string) {
    const body = encodeManifest(manifest);
    const descriptor = { mediaType: mediaTypeOf(manifest), digest: digestOf(body), size: body.length };
    const path = `manifests/${tag ?? descriptor.digest}`;
    const headers = { "content-type": descriptor.mediaType };
    const answer = await this.#client.send({ method: "PUT", path, headers, body, signal }).catch((error: unknown) => {
      throw addRefusedMediaTypes(error, typesOf(manifest).join(", "));
    });
    return { descriptor, answer };
  }

  getManifest(tag: string): Promise<FoundManifest | undefined> {
    return this.#attempts.run(() => this.#get(tag));
  }

  async #get(tag: string): Promise<FoundManifest | undefined> {
    if (!isName(tag)) {
      return undefined;
    }
    const headers = { accept: `${imageManifestMediaType}, ${imageIndexMediaType}, */*` };
    const path = `manifests/${tag}`;
    const answer = await this.#client.send({ method: "GET", path, headers, accepts: isMissing });
    const { status, body } = answer;
    if (saysMissing(answer) === "perhaps" && !(await this.#isUnlisted(tag))) {
      throw new RegistryRefusalError(answer);
    }
    const digest = digestOf(body);
    // A registry may send other bytes than those of the requested digest.
    const isOther = tag.includes(":") && tag !== digest;
    const manifest = parseJsonObject(body.toString());
    return status === 404 || isOther
      ? undefined
      : { digest, size: body.length, manifest: manifest as FoundManifest["manifest"] };
  }

  /**
   * Returns true if the registry's list of tags proves that a tag does not exist. A 404 without an error code proves
   * nothing, because a gateway may send it for any tag.
   */
  async #isUnlisted(tag: string): Promise<boolean> {
    if (tag.includes(":")) {
      return false;
    }
    const request = { method: "GET", path: "tags/list?n=1000", accepts: isMissing } as const;
    const { status, headers, body } = requireRegistryNotFound(await this.#client.send(request));
    const { tags } = parseJsonObject(body.toString()) ?? {};
    const isList = status === 404 || tags === null || Array.isArray(tags);
    return isList && headers.link === undefined && !(Array.isArray(tags) && tags.map(String).includes(tag));
  }

  hasBlob(digest: string): Promise<boolean> {
    return this.#attempts.run(async () => isName(digest) && !(await lacksBlob(this.#client, digest)));
  }

  readBlob(digest: string): Promise<Buffer | undefined> {
    return this.#attempts.run(async () => {
      const body = isName(digest) ? await readBlob(this.#client, digest) : undefined;
      return body && digestOf(body) === digest ? body : undefined;
    });
  }

  putReferrer(referrer: Referrer, signal: AbortSignal): Promise<void> {
    return this.#attempts.run(async () => {
      const { artifactType, subject, annotations } = referrer;
      const { descriptor, answer } = await this.#put(referrer, signal);
      // Without this header, the registry keeps no list of referrers. The client then keeps the list.
      if (answer.headers["oci-subject"] === undefined) {
        const entry = { ...descriptor, artifactType, ...(annotations && { annotations }) };
        await this.#changeReferrersTag(subject.digest, (others) => [...without(others, entry.digest), entry], signal);
      }
    });
  }

  referrers(subject: string): Promise<Partial<OciDescriptor>[]> {
    return this.#attempts.run(async () => {
      const { status, body } = await this.#client.send({
        method: "GET",
        path: `referrers/${subject}`,
        accepts: (refused) => [400, 404, 405, 501].includes(refused),
      });
      const found = status === 200 ? parseJsonObject(body.toString()) : undefined;
      const listed = descriptorsIn(found?.manifests);
      // Some registries keep no list of referrers, and answer with an empty list. For these, the client keeps the list
      // under a tag.
      return listed.length > 0
        ? listed
        : descriptorsIn((await this.#get(referrersTagOf(subject)))?.manifest?.manifests);
    });
  }

  removeReferrer(subject: string, digest: string, signal?: AbortSignal): Promise<boolean> {
    return this.#attempts.run(async () => {
      await this.#changeReferrersTag(subject, (entries) => without(entries, digest), signal);
      return this.#remove(digest, signal);
    });
  }

  async #changeReferrersTag(
    subject: string,
    change: (entries: Partial<OciDescriptor>[]) => Partial<OciDescriptor>[],
    signal?: AbortSignal,
  ): Promise<void> {
    const tag = referrersTagOf(subject);
    const found = await this.#get(tag);
    const before = descriptorsIn(found?.manifest?.manifests);
    const after = change(before);
    if (JSON.stringify(after) === JSON.stringify(before)) {
      return;
    }
    if (after.length > 0 || !(await this.#remove(tag, signal))) {
      const others = before.length > 0 ? found?.manifest : {};
      const index = { ...others, manifests: after } as OciIndex;
      await this.#put(index, signal, tag);
    }
  }

  removeTag(tag: string, signal?: AbortSignal): Promise<boolean> {
    return this.#attempts.run(() => this.#remove(tag, signal));
  }

  async #remove(tag: string, signal?: AbortSignal): Promise<boolean> {
    try {
      const path = `manifests/${tag}`;
      const { status } = await this.#client.send({ method: "DELETE", path, accepts: isMissing, signal });
      // A 404 may also mean that the registry cannot delete tags.
      return status !== 404 || (await this.#get(tag)) === undefined;
    } catch (error) {
      if (forbidsDeletion(error)) {
        return false;
      }
      throw error;
    }
  }

  reference(suffix: string): string {
    const { registry, repository } = this.destination;
    return `${registry}/${repository}${suffix}`;
  }

  close(): void {
    this.#client.close();
  }
}

function typesOf(manifest: OciManifest | OciIndex): string[] {
  const types =
    "manifests" in manifest
      ? []
      : [manifest.artifactType, manifest.config.mediaType, ...manifest.layers.map(({ mediaType }) => mediaType)];
  return [...new Set([mediaTypeOf(manifest), ...types])].filter((type) => type !== undefined);
}

function isMissing(status: number): boolean {
  return status === 404;
}

/** Returns true if a name from an unverified manifest is safe in a request's path. */
function isName(text: string): boolean {
  return /^\w[\w.+-]*(:[\w=-]+)?$/.test(text);
}

/** The tag is defined by the distribution specification. */
function referrersTagOf(subject: string): string {
  return subject.replace(":", "-");
}

function without(entries: Partial<OciDescriptor>[], digest: string): Partial<OciDescriptor>[] {
  return entries.filter((entry) => entry.digest !== digest);
}
