import { addAbortSignal, type Readable } from "node:stream";
import { limitOf } from "../support/abort";
import { TaskPool } from "../support/taskPool";
import { timeLimits } from "../support/time/timeLimits";
import { Attempts, type StorageFault } from "./attempt";
import type { ObjectInfo, PutOptions, Store } from "./store";
import { readText } from "./textFile";

/**
 * The requests of one kind of object storage, below the prefix of the destination. Each one fails with the error of its
 * library, and is stopped by its signal.
 */
export interface ObjectClient {
  /** The place in words, such as `the bucket docs`. */
  readonly place: string;
  /** Writes a whole object, or nothing. @returns its revision. */
  write(name: string, content: AsyncIterable<Buffer>, options: PutOptions): Promise<string>;
  head(name: string, signal: AbortSignal): Promise<ObjectInfo>;
  /** See `Store`. */
  sha256(name: string, signal: AbortSignal): Promise<string | undefined>;
  open(name: string, signal: AbortSignal): Promise<Readable>;
  /** One page of the objects whose names begin like this. */
  list(begin: string, token: string | undefined, signal: AbortSignal): Promise<ObjectPage>;
  remove(name: string, signal: AbortSignal): Promise<void>;
  /** See `Store`. */
  address(name: string): string;
  /** Whether the server says that an object, or the place, does not exist; "perhaps" if its answer contains no reason. */
  isMissing(error: unknown): boolean | "perhaps";
  /** Describes an answer of the server, or an error of the library; undefined for any other error. */
  explain(error: unknown): StorageFault | undefined;
  close(): void;
}

export interface ObjectPage {
  objects: readonly (readonly [name: string, info: ObjectInfo])[];
  /** Requests the next page. */
  token: string | undefined;
}

const requestsAtOnce = 8;
/** For at most this number of objects, each object gets its own request. For more objects, the bucket is listed. */
const maxHeadRequests = 8;

/** A place in an object storage. The errors and limits are here; what differs between storages is in their clients. */
export class ObjectStore implements Store {
  readonly #client: ObjectClient;
  readonly #signal: AbortSignal;
  readonly #attempts: Attempts;

  /** @param signal stops every operation that has no signal of its own. */
  constructor(client: ObjectClient, signal: AbortSignal) {
    this.#client = client;
    this.#signal = signal;
    this.#attempts = new Attempts({ place: client.place, explain: (error) => client.explain(error), signal });
  }

  put(name: string, content: AsyncIterable<Buffer>, options: PutOptions): Promise<ObjectInfo> {
    return this.#attempts.write(content, options.signal, async (observed) => {
      const revision = await this.#client.write(name, observed, options);
      return { sizeBytes: observed.bytes, revision };
    });
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

  sha256(name: string): Promise<string | undefined> {
    return this.#attempts.run(() => limited(this.#signal, (signal) => this.#client.sha256(name, signal)));
  }

  async *list(begin = ""): AsyncGenerator<string> {
    for await (const [name] of this.#attempts.read(this.#objects(begin))) {
      // Consoles represent a folder by an object without a name, or with a slash at its end.
      if (name !== "" && !name.endsWith("/")) {
        yield name;
      }
    }
  }

  content(name: string): AsyncGenerator<Buffer> {
    return this.#attempts.read(this.#content(name));
  }

  read(name: string, maxBytes: number): Promise<string | undefined> {
    const read = async (signal: AbortSignal) =>
      readText(addAbortSignal(signal, await this.#client.open(name, signal)), maxBytes);
    return this.#attempts.run(() =>
      limited(this.#signal, read).catch((error: unknown) => {
        if (this.#client.isMissing(error) !== true) {
          throw error;
        }
        return undefined;
      }),
    );
  }

  remove(names: readonly string[], signal = this.#signal): Promise<void> {
    return this.#attempts.run(async () => {
      const removals = new TaskPool(requestsAtOnce);
      for (const name of names) {
        await removals.add(() => limited(signal, (limit) => this.#client.remove(name, limit)));
      }
      await removals.drain();
    }, signal);
  }

  address(name: string): string {
    return this.#client.address(name);
  }

  close(): void {
    this.#client.close();
  }

  async #head(name: string): Promise<ObjectInfo | undefined> {
    try {
      return await limited(this.#signal, (signal) => this.#client.head(name, signal));
    } catch (error) {
      const missing = this.#client.isMissing(error);
      if (missing === false) {
        throw error;
      }
      // An answer without a reason does not prove that the object is missing: a listing tells.
      return missing === true ? undefined : (await this.#find([name])).get(name);
    }
  }

  async #find(names: readonly string[]): Promise<Map<string, ObjectInfo>> {
    const wanted = new Set(names);
    const found = new Map<string, ObjectInfo>();
    try {
      for await (const [name, info] of this.#objects(names.length === 1 ? names[0] : "")) {
        if (wanted.has(name)) {
          found.set(name, info);
        }
      }
    } catch (error) {
      if (this.#client.isMissing(error) !== true) {
        throw error;
      }
    }
    return found;
  }

  async *#objects(begin = ""): AsyncGenerator<readonly [name: string, info: ObjectInfo]> {
    let token: string | undefined;
    do {
      const page = await limited(this.#signal, (signal) => this.#client.list(begin, token, signal));
      yield* page.objects;
      token = page.token;
    } while (token !== undefined);
  }

  async *#content(name: string): AsyncGenerator<Buffer> {
    const stream = await limited(this.#signal, (signal) => this.#client.open(name, signal));
    yield* addAbortSignal(this.#signal, stream);
  }
}

/** Limits the time of one request. @throws a TimeoutError when the time is up. */
async function limited<T>(signal: AbortSignal, request: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const limit = limitOf(timeLimits.storageRequest, signal);
  try {
    return await request(limit.signal);
  } catch (error) {
    throw limit.isUp() ? limit.signal.reason : error;
  } finally {
    limit.end();
  }
}

/** Encodes a name for the path of an address (RFC 3986). */
export function encodedName(name: string): string {
  const asEscape = (sign: string) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(name)
    .replaceAll("%2F", "/")
    .replace(/[!'()*]/g, asEscape);
}
