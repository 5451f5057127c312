import { addAbortSignal, type Readable } from "node:stream";
import { withTimeLimit } from "../support/abort";
import { printable } from "../support/printable";
import { TaskPool } from "../support/taskPool";
import { timeLimits } from "../support/time/timeLimits";
import { type AttemptLimits, type ExplainedStorageFault, StorageRetrier } from "./attempt";
import { ListingSizeLimiter } from "./listingSizeLimiter";
import type { FileOrObjectStore, ObjectInfo, PutObjectOptions } from "./store";
import { readText } from "./textFile";
import { type MultipartUploadTarget, writeInParts } from "./writeInParts";

/**
 * The requests of one kind of object storage. Names are relative to the destination's prefix. A failed request throws
 * the error of the storage's library.
 */
export interface ObjectStorageClient {
  readonly place: string;
  target(name: string, options: PutObjectOptions): MultipartUploadTarget;
  head(name: string, signal: AbortSignal): Promise<ObjectInfo>;
  open(name: string, signal: AbortSignal): Promise<Readable>;
  list(begin: string, token: string | undefined, signal: AbortSignal): Promise<ObjectPage>;
  remove(name: string, signal: AbortSignal): Promise<void>;
  address(name: string): string;
  /** True if an object or its bucket does not exist; "perhaps" for a 404 without a reason. */
  isMissing(error: unknown): boolean | "perhaps";
  explain(error: unknown): ExplainedStorageFault | undefined;
  close(): void;
}

export type ListedObject = readonly [name: string, info: ObjectInfo];

export interface ObjectPage {
  objects: readonly ListedObject[];
  token: string | undefined;
}

const requestsAtOnce = 8;
/** For more objects than this, one listing of the bucket replaces the requests. */
const maxHeadRequests = 8;

/** The errors and limits that all object storages share. A client has the code for one kind of storage. */
export class ObjectStore implements FileOrObjectStore {
  readonly #signal: AbortSignal;
  readonly #attempts: StorageRetrier;

  constructor(
    private readonly client: ObjectStorageClient,
    limits: AttemptLimits,
  ) {
    this.#signal = limits.signal;
    this.#attempts = new StorageRetrier({ ...limits, place: client.place, explain: (error) => client.explain(error) });
  }

  put(name: string, content: AsyncIterable<Buffer>, options: PutObjectOptions): Promise<ObjectInfo> {
    return this.#attempts.write(
      () => content,
      options.signal,
      async (observed) => {
        const target = this.client.target(name, options);
        const revision = await writeInParts(observed, options, target, (send) =>
          this.#attempts.request(send, options.signal),
        );
        // Some servers send no ETag in the answer to a write, so the object's ETag is requested.
        const found = revision === "" ? await this.#head(name) : undefined;
        return { sizeBytes: observed.bytes, revision: found?.revision ?? revision };
      },
    );
  }

  stat(names: readonly string[]): Promise<Map<string, ObjectInfo>> {
    return this.#attempts.run(async () => {
      if (names.length > maxHeadRequests) {
        return this.#find(names);
      }
      const found = new Map<string, ObjectInfo>();
      for (const name of names) {
        const info = await this.#head(name);
        if (info) {
          found.set(name, info);
        }
      }
      return found;
    });
  }

  async sha256(): Promise<undefined> {}

  /** If the bucket or container does not exist, the list is empty. */
  list(): AsyncGenerator<string> {
    return this.#names(this.#ifThere(this.#objects()));
  }

  /** A missing bucket or container is an error. */
  listExisting(begin: string): AsyncGenerator<string> {
    return this.#names(this.#objects(begin));
  }

  async *#names(objects: AsyncGenerator<ListedObject>): AsyncGenerator<string> {
    for await (const [name] of this.#attempts.read(objects)) {
      // A storage's web console shows such an object as a folder.
      if (name !== "" && !name.endsWith("/")) {
        yield name;
      }
    }
  }

  async *content(name: string): AsyncGenerator<Buffer> {
    const open = () => this.#request((signal) => this.client.open(name, signal));
    const stream = await this.#attempts.run(open);
    yield* this.#attempts.read(addAbortSignal(this.#signal, stream));
  }

  read(name: string, maxBytes: number): Promise<string | undefined> {
    const read = async (signal: AbortSignal) =>
      readText(addAbortSignal(signal, await this.client.open(name, signal)), maxBytes);
    return this.#attempts.run(() => this.#request(read).catch(this.#unlessMissing));
  }

  remove(names: readonly string[], signal = this.#signal): Promise<void> {
    return this.#attempts.run(async () => {
      const removals = new TaskPool(requestsAtOnce);
      for (const name of names) {
        await removals.add(() => this.#remove(name, signal));
      }
      await removals.drain();
    }, signal);
  }

  address(name: string): string {
    return this.client.address(name);
  }

  close(): void {
    this.client.close();
  }

  async #remove(name: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#request((limit) => this.client.remove(name, limit), signal).catch(this.#unlessMissing);
    } catch (error) {
      const what = `the object ${JSON.stringify(printable(name, 200))} cannot be removed: `;
      throw this.#attempts.asError(error, signal, what);
    }
  }

  async #head(name: string): Promise<ObjectInfo | undefined> {
    try {
      return await this.#request((signal) => this.client.head(name, signal));
    } catch (error) {
      const missing = this.client.isMissing(error);
      if (missing === false) {
        throw error;
      }
      // An answer without a reason does not prove that the object is missing.
      return missing === true ? undefined : (await this.#find([name])).get(name);
    }
  }

  async #find(names: readonly string[]): Promise<Map<string, ObjectInfo>> {
    const wanted = new Set(names);
    const found = new Map<string, ObjectInfo>();
    for await (const [name, info] of this.#ifThere(this.#objects(names.length === 1 ? names[0] : ""))) {
      if (wanted.has(name)) {
        found.set(name, info);
      }
    }
    return found;
  }

  async *#ifThere<T>(items: AsyncGenerator<T>): AsyncGenerator<T> {
    try {
      yield* items;
    } catch (error) {
      this.#unlessMissing(error);
    }
  }

  async *#objects(begin = ""): AsyncGenerator<ListedObject> {
    const budget = new ListingSizeLimiter(this.client.place);
    let token: string | undefined;
    do {
      budget.addPage();
      const page = await this.#request((signal) => this.client.list(begin, token, signal));
      for (const object of page.objects) {
        budget.addName(object[0]);
        yield object;
      }
      token = page.token;
    } while (token !== undefined);
  }

  readonly #unlessMissing = (error: unknown): undefined => {
    if (this.client.isMissing(error) !== true) {
      throw error;
    }
  };

  #request<T>(send: (signal: AbortSignal) => Promise<T>, signal = this.#signal): Promise<T> {
    return this.#attempts.request(() => withTimeLimit(timeLimits.storageRequest, signal, send), signal);
  }
}

export function percentEncodeName(name: string): string {
  const asEscape = (sign: string) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(name)
    .replaceAll("%2F", "/")
    .replace(/[!'()*]/g, asEscape);
}
