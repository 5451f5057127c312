import { pathToFileURL } from "node:url";
import { parseJsonObject } from "../../support/parseJsonObject";
import { FileStore } from "../file/store";
import {
  digestOf,
  encodeManifest,
  type FoundManifest,
  type ImageStore,
  mediaTypeOf,
  type OciDescriptor,
  type OciIndex,
  type OciManifest,
  type Referrer,
} from "../imageStore";
import { singleChunk } from "../textFile";
import type { OciLayoutDestination } from "./destination";
import { createLayoutEntry, LayoutIndex, type LayoutIndexEntry, unsupportedLayoutError } from "./layoutIndex";

const indexName = "index.json";
const versionName = "oci-layout";
const layoutVersion = "1.0.0";
const tagAnnotation = "org.opencontainers.image.ref.name";

/** In bytes. */
const mostBytes = 4 * 1024 ** 2;

/**
 * The last change of each index in this process. Each change rewrites the whole index, so changes run one after
 * another.
 */
const changes = new Map<string, Promise<unknown>>();

export class OciLayoutStore implements ImageStore {
  readonly #folder: string;
  readonly #files: FileStore;

  constructor(
    { folder }: OciLayoutDestination,
    private readonly signal: AbortSignal,
  ) {
    this.#folder = folder;
    this.#files = new FileStore({ kind: "file", folder }, signal);
  }

  async putBlob(open: () => AsyncIterable<Buffer>, digest: () => string, signal: AbortSignal): Promise<void> {
    // A blob's final name needs the digest, which is known only after the last byte.
    await this.#files.put(() => blobName(digest()), open(), { contentType: "", signal });
  }

  async putBytes(mediaType: string, bytes: Buffer, signal = this.signal): Promise<OciDescriptor> {
    const digest = digestOf(bytes);
    await this.#files.put(blobName(digest), singleChunk(bytes), { contentType: mediaType, signal });
    return { mediaType, digest, size: bytes.length };
  }

  async putManifest(manifest: OciManifest | OciIndex, signal?: AbortSignal, tag?: string): Promise<OciDescriptor> {
    const described = await this.putBytes(mediaTypeOf(manifest), encodeManifest(manifest), signal);
    if (tag !== undefined) {
      const entry = createLayoutEntry({ ...described, annotations: { [tagAnnotation]: tag } });
      await this.#change((entries) => [...entries.filter((one) => tagOf(one) !== tag), entry], signal);
    }
    return described;
  }

  async getManifest(tag: string): Promise<FoundManifest | undefined> {
    const tagged = tag.includes(":") ? undefined : (await this.#index()).entries.find((entry) => tagOf(entry) === tag);
    const bytes = await this.readBlob(tagged?.descriptor.digest ?? tag);
    const manifest = parseJsonObject(bytes?.toString() ?? "");
    return bytes && { digest: digestOf(bytes), size: bytes.length, manifest: manifest as FoundManifest["manifest"] };
  }

  async hasBlob(digest: string): Promise<boolean> {
    return isDigest(digest) && (await this.#files.stat([blobName(digest)])).size > 0;
  }

  async readBlob(digest: string): Promise<Buffer | undefined> {
    const text = isDigest(digest) ? await this.#files.read(blobName(digest), mostBytes) : undefined;
    const bytes = Buffer.from(text ?? "");
    return text !== undefined && digestOf(bytes) === digest ? bytes : undefined;
  }

  async putReferrer(referrer: Referrer, signal: AbortSignal): Promise<void> {
    const { artifactType, annotations } = referrer;
    const described = await this.putManifest(referrer, signal);
    const entry = createLayoutEntry({ ...described, artifactType, ...(annotations && { annotations }) });
    await this.#change((entries) => [...without(entries, described.digest), entry], signal);
  }

  async referrers(subject: string): Promise<Partial<OciDescriptor>[]> {
    const found: Partial<OciDescriptor>[] = [];
    for (const { descriptor } of (await this.#index()).entries) {
      const manifest = (await this.getManifest(descriptor.digest))?.manifest;
      if (manifest?.subject?.digest === subject) {
        const { artifactType } = manifest;
        found.push({ ...descriptor, ...(artifactType !== undefined && { artifactType }) });
      }
    }
    return found;
  }

  removeReferrer(_: string, digest: string, signal?: AbortSignal): Promise<true> {
    return this.#change((entries) => without(entries, digest), signal);
  }

  removeTag(tag: string, signal?: AbortSignal): Promise<true> {
    return this.#change((entries) => entries.filter((entry) => tagOf(entry) !== tag), signal);
  }

  reference(suffix: string): string {
    return `${pathToFileURL(this.#folder).href.replace(/^file:/, "oci-layout:")}${suffix}`;
  }

  close(): void {
    this.#files.close();
  }

  /**
   * @throws DestinationError if the folder has an `oci-layout` or `index.json` that this provider does not completely
   * understand.
   */
  async #index(): Promise<LayoutIndex> {
    const version = await this.#files.read(versionName, mostBytes);
    const text = await this.#files.read(indexName, mostBytes);
    const isLayout = parseJsonObject(version ?? "")?.imageLayoutVersion === layoutVersion;
    if (!isLayout && (version !== undefined || text !== undefined)) {
      throw unsupportedLayoutError(this.#folder, version === undefined ? indexName : versionName);
    }
    const index = text === undefined ? LayoutIndex.empty() : LayoutIndex.parse(text);
    if (index === undefined) {
      throw unsupportedLayoutError(this.#folder, indexName);
    }
    return index;
  }

  /**
   * Returns every digest in the manifests of these entries, even in fields that this provider does not know.
   * @returns `isWhole` is false if a manifest could not be read. Then `digests` may lack blobs that the entries need.
   */
  async #digestsIn(entries: readonly LayoutIndexEntry[]): Promise<{ digests: Set<string>; isWhole: boolean }> {
    const digests = new Set<string>();
    const read = new Set<string>();
    let isWhole = true;
    const waiting = entries.map(({ descriptor }) => descriptor.digest);
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (!read.has(next)) {
        read.add(next);
        digests.add(next);
        const text = (await this.readBlob(next))?.toString() ?? "";
        const manifest = parseJsonObject(text);
        isWhole &&= manifest !== undefined;
        for (const [, digest = ""] of text.matchAll(anyDigest)) {
          digests.add(digest);
        }
        waiting.push(...manifestsIn(manifest));
      }
    }
    return { digests, isWhole };
  }

  /** Waits for earlier changes of the index. Removes the blobs that only the removed entries needed. */
  #change(change: (entries: readonly LayoutIndexEntry[]) => LayoutIndexEntry[], signal = this.signal): Promise<true> {
    const done = (changes.get(this.#folder) ?? Promise.resolve()).then(async (): Promise<true> => {
      const before = await this.#index();
      const after = before.with(change(before.entries));
      const removed = before.entries.filter((entry) => !after.entries.includes(entry));
      if (removed.length === 0 && after.entries.length === before.entries.length) {
        return true;
      }
      const put = (name: string, text: string) =>
        this.#files.put(name, singleChunk(Buffer.from(text)), { contentType: "", signal });
      if ((await this.#files.stat([versionName])).size === 0) {
        await put(versionName, JSON.stringify({ imageLayoutVersion: layoutVersion }));
      }
      await put(indexName, after.text);
      const needed = await this.#digestsIn(after.entries);
      const parts = needed.isWhole ? [...(await this.#digestsIn(removed)).digests] : [];
      await this.#files.remove(parts.filter((one) => isDigest(one) && !needed.digests.has(one)).map(blobName));
      await this.#files.remove(after.isRemovable ? [indexName, versionName] : []);
      return true;
    });
    changes.set(
      this.#folder,
      done.catch(() => {}),
    );
    return done;
  }
}

function tagOf({ descriptor }: LayoutIndexEntry): string | undefined {
  return descriptor.annotations?.[tagAnnotation];
}

function without(entries: readonly LayoutIndexEntry[], digest: string): LayoutIndexEntry[] {
  return entries.filter(({ descriptor }) => descriptor.digest !== digest);
}

function isDigest(text: unknown): text is string {
  return typeof text === "string" && /^sha256:[0-9a-f]{64}$/.test(text);
}

function blobName(digest: string): string {
  return `blobs/${digest.replace(":", "/")}`;
}

const anyDigest = /"digest"\s*:\s*"([^"\\]*)"/g;

function manifestsIn(manifest: unknown): string[] {
  const { manifests, subject } = Object(manifest);
  const named = [subject, manifests].flat().map((one) => Object(one).digest);
  return named.filter((digest) => typeof digest === "string");
}
