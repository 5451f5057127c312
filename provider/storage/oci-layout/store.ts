import { randomBytes } from "node:crypto";
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { jsonObject } from "../../support/jsonObject";
import { FileStore } from "../file/store";
import {
  bytesOf,
  type Descriptor,
  digestOf,
  entriesOf,
  type FoundManifest,
  type ImageStore,
  indexType,
  mediaTypeOf,
  type OciIndex,
  type OciManifest,
  type Referrer,
} from "../imageStore";
import { singleChunk } from "../textFile";
import type { OciLayoutDestination } from "./destination";

type Entry = Partial<Descriptor>;

const indexName = "index.json";
const versionName = "oci-layout";
const tagAnnotation = "org.opencontainers.image.ref.name";

/** The largest manifest and the largest index that are read, in bytes. */
const mostBytes = 4 * 1024 ** 2;

/** The last change of each index in this process: several mirrors may share a folder. */
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

  get repository(): string {
    return basename(this.#folder);
  }

  async putBlob(open: () => AsyncIterable<Buffer>, digest: () => string, signal: AbortSignal): Promise<void> {
    // The name is known after the last byte. A later run removes a file of this name that a killed run leaves.
    const incoming = `.mirror-${randomBytes(8).toString("hex")}.partial`;
    await this.#files.put(incoming, open(), { contentType: "", signal });
    await this.#files.move(incoming, blobName(digest()));
  }

  async putJson(mediaType: string, value: unknown, signal?: AbortSignal): Promise<Descriptor> {
    return this.#putBytes(mediaType, Buffer.from(JSON.stringify(value)), signal);
  }

  async #putBytes(mediaType: string, bytes: Buffer, signal = this.signal): Promise<Descriptor> {
    const digest = digestOf(bytes);
    await this.#files.put(blobName(digest), singleChunk(bytes), { contentType: mediaType, signal });
    return { mediaType, digest, size: bytes.length };
  }

  async putManifest(manifest: OciManifest | OciIndex, signal?: AbortSignal, tag?: string): Promise<Descriptor> {
    const described = await this.#putBytes(mediaTypeOf(manifest), bytesOf(manifest), signal);
    if (tag !== undefined) {
      const entry = { ...described, annotations: { [tagAnnotation]: tag } };
      await this.#change((entries) => [...entries.filter((one) => tagOf(one) !== tag), entry], signal);
    }
    return described;
  }

  async getManifest(tag: string): Promise<FoundManifest | undefined> {
    const entry = tag.includes(":") ? { digest: tag } : (await this.#entries()).find((one) => tagOf(one) === tag);
    const bytes = await this.readBlob(entry?.digest ?? "");
    const manifest = jsonObject(bytes?.toString() ?? "");
    return bytes && { digest: digestOf(bytes), size: bytes.length, manifest: manifest as FoundManifest["manifest"] };
  }

  async tags(): Promise<string[]> {
    return (await this.#entries()).flatMap((entry) => tagOf(entry) ?? []);
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
    const entry = { ...described, artifactType, ...(annotations && { annotations }) };
    await this.#change((entries) => [...entries.filter(({ digest }) => digest !== entry.digest), entry], signal);
  }

  async referrers(subject: string): Promise<Entry[]> {
    const found: Entry[] = [];
    for (const entry of await this.#entries()) {
      const manifest = (await this.getManifest(entry.digest ?? ""))?.manifest;
      if (manifest?.subject?.digest === subject) {
        found.push({ ...entry, ...(manifest.artifactType !== undefined && { artifactType: manifest.artifactType }) });
      }
    }
    return found;
  }

  removeReferrer(_: string, digest: string, signal?: AbortSignal): Promise<true> {
    return this.#change((entries) => entries.filter((entry) => entry.digest !== digest), signal);
  }

  removeTag(tag: string, signal?: AbortSignal): Promise<true> {
    return this.#change((entries) => entries.filter((entry) => tagOf(entry) !== tag), signal);
  }

  reference(suffix: string): string {
    return `${pathToFileURL(this.#folder).href.replace(/^file:/, "oci-layout:")}${suffix}`;
  }

  close(): void {}

  async #entries(): Promise<Entry[]> {
    return entriesOf(jsonObject((await this.#files.read(indexName, mostBytes)) ?? ""));
  }

  /** Returns the digests of all blobs that these manifests lead to. A signature needs the image that it is of. */
  async #blobsOf(entries: readonly Entry[]): Promise<Set<string>> {
    const found = new Set<string>();
    for (const { digest } of entries) {
      const waiting = [digest];
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        if (isDigest(next) && !found.has(next)) {
          found.add(next);
          waiting.push(...partsOf((await this.getManifest(next))?.manifest));
        }
      }
    }
    return found;
  }

  /** Changes the index, one change after the other, and removes the blobs that only the removed entries need. */
  #change(change: (entries: Entry[]) => Entry[], signal = this.signal): Promise<true> {
    const done = (changes.get(this.#folder) ?? Promise.resolve()).then(async (): Promise<true> => {
      const before = await this.#entries();
      const after = change(before);
      const removed = before.filter((entry) => !after.includes(entry));
      if (removed.length === 0 && after.length === before.length) {
        return true;
      }
      const put = (name: string, value: object) =>
        this.#files.put(name, singleChunk(Buffer.from(JSON.stringify(value))), { contentType: "", signal });
      await put(versionName, { imageLayoutVersion: "1.0.0" });
      await put(indexName, { schemaVersion: 2, mediaType: indexType, manifests: after });
      const needed = await this.#blobsOf(after);
      const blobs = [...(await this.#blobsOf(removed))].filter((digest) => !needed.has(digest)).map(blobName);
      await this.#files.remove(after.length === 0 ? [...blobs, indexName, versionName] : blobs);
      return true;
    });
    changes.set(
      this.#folder,
      done.catch(() => {}),
    );
    return done;
  }
}

function tagOf({ annotations }: Entry): string | undefined {
  return annotations?.[tagAnnotation];
}

function isDigest(text: unknown): text is string {
  return typeof text === "string" && /^sha256:[0-9a-f]{64}$/.test(text);
}

function blobName(digest: string): string {
  return `blobs/${digest.replace(":", "/")}`;
}

/** The digests that a manifest names. Its content is a claim. */
function partsOf(manifest: FoundManifest["manifest"]): string[] {
  const { config, layers, manifests, subject } = Object(manifest);
  const listed = [layers, manifests].flatMap((list) => (Array.isArray(list) ? list : []));
  return [config, subject, ...listed].map((part) => part?.digest).filter(isDigest);
}
