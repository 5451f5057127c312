import { type ObjectDestination, openObjectStore } from "../storage/destination";
import type { ObjectStore } from "../storage/objectStore";
import { singleChunk } from "../storage/textFile";
import { DocsPlatformError } from "../support/errors";
import { formatDuration } from "../support/time/duration";
import { timeLimits } from "../support/time/timeLimits";
import { isEntryName, type Journal, journalEntryByteLimit, UnusableJournalError } from "./journal";

export class ObjectJournal implements Journal {
  readonly isRemote = true;
  /** The client is created at its first use, because most runs start nothing. */
  #store: Promise<ObjectStore> | undefined;
  /** Once the storage has not answered in time, every further operation fails with this error, without another wait. */
  #verdict: Error | undefined;

  readonly #stop = new AbortController();

  constructor(
    readonly place: string,
    private readonly destination: ObjectDestination,
    private readonly limit: number = timeLimits.journal,
  ) {}

  list(prefix: string): Promise<string[]> {
    return this.#attempt((store) => namesIn(store, prefix));
  }

  read(name: string): Promise<string | undefined> {
    return this.#attempt(async (store) => {
      const text = await store.read(objectOf(name), journalEntryByteLimit);
      if (text === undefined) {
        // A missing bucket is an error, not an empty journal. Only a listing shows the difference.
        await namesIn(store, name);
      } else if (text === "") {
        throw new Error(
          `the object ${objectOf(name)} is empty, or has more than ${journalEntryByteLimit} bytes: it is not a journal entry`,
        );
      }
      return text;
    });
  }

  write(name: string, text: string): Promise<void> {
    return this.#attempt(async (store) => {
      const bytes = Buffer.from(text);
      const options = { contentType: "application/json", expectedBytes: bytes.length, signal: this.#stop.signal };
      await store.put(objectOf(name), singleChunk(bytes), options);
    });
  }

  remove(name: string): Promise<void> {
    return this.#attempt((store) => store.remove([objectOf(name)]));
  }

  async #attempt<T>(work: (store: ObjectStore) => Promise<T>): Promise<T> {
    if (this.#verdict !== undefined) {
      throw this.#verdict;
    }
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.#verdict = new Error(
          `it did not answer within ${formatDuration(this.limit)}; this run does not ask it again`,
        );
        reject(this.#verdict);
        this.#stop.abort();
        // This closes all connections, even while an answer is being read.
        this.#store?.then((store) => store.close()).catch(() => {});
      }, this.limit);
    });
    try {
      // Plain http to this machine is allowed: only tests use such a server, and this client sends no bundle.
      this.#store ??= openObjectStore(this.destination, { plainLoopback: true, signal: this.#stop.signal });
      return await Promise.race([this.#store.then(work), late]);
    } catch (error) {
      throw error instanceof DocsPlatformError ? new UnusableJournalError(error.happened, error.remedy) : error;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** @throws DestinationError if the bucket does not exist. */
async function namesIn(store: ObjectStore, prefix: string): Promise<string[]> {
  const names: string[] = [];
  for await (const object of store.listExisting(prefix)) {
    const name = object.replace(/\.json$/, "");
    if (isEntryName(name)) {
      names.push(name);
    }
  }
  return names;
}

function objectOf(name: string): string {
  return `${name}.json`;
}
