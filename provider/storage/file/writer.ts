import type { FileHandle } from "node:fs/promises";

/**
 * The size of one write, in bytes: large enough that a write costs little, small enough to hold two batches in memory.
 */
const batchBytes = 1024 ** 2;

/** The number of bytes after which a sync starts, so that the last sync has little to wait for. */
const syncBytes = 32 * 1024 ** 2;

/** Writes a whole file and waits until it is on the disk. While one batch is being written, the next one is filled. */
export async function writeContent(file: FileHandle, content: AsyncIterable<Buffer>): Promise<void> {
  const writer = new BatchWriter(file);
  try {
    for await (const chunk of content) {
      if (writer.add(chunk) >= batchBytes) {
        await writer.flush();
      }
    }
    await writer.flush();
    await writer.end();
  } finally {
    await writer.settled();
  }
}

class BatchWriter {
  readonly #file: FileHandle;
  #batch: Buffer[] = [];
  #batchedBytes = 0;
  #unsyncedBytes = 0;
  #writing: Promise<void> = Promise.resolve();
  /** The last sync. It is kept also after a failure: the system reports a disk error only once, to the first sync. */
  #syncing: Promise<void> = Promise.resolve();
  #syncRunning = false;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  /** @returns the number of bytes that wait for a flush. */
  add(chunk: Buffer): number {
    this.#batch.push(chunk);
    this.#batchedBytes += chunk.length;
    return this.#batchedBytes;
  }

  /** Starts to write the batch. Resolves when the previous batch is written. */
  async flush(): Promise<void> {
    await this.#writing;
    this.#writing = withoutUnhandledRejection(writeFully(this.#file, this.#batch, this.#batchedBytes));
    this.#unsyncedBytes += this.#batchedBytes;
    this.#batch = [];
    this.#batchedBytes = 0;
    if (this.#unsyncedBytes >= syncBytes && !this.#syncRunning) {
      this.#unsyncedBytes = 0;
      this.#syncRunning = true;
      this.#syncing = withoutUnhandledRejection(this.#sync(this.#syncing));
    }
  }

  async end(): Promise<void> {
    await this.#writing;
    await this.#syncing;
    await this.#file.sync();
  }

  /** Waits until no operation is running, so that the file can be closed. */
  async settled(): Promise<void> {
    await Promise.allSettled([this.#writing, this.#syncing]);
  }

  async #sync(before: Promise<void>): Promise<void> {
    await before;
    await this.#file.datasync();
    this.#syncRunning = false;
  }
}

/** Prevents that the promise's error ends the process before a later `await` gets the error. */
function withoutUnhandledRejection(promise: Promise<void>): Promise<void> {
  promise.catch(() => {});
  return promise;
}

/** Writes a whole batch. A full disk may accept a part of a batch, and report this only by the number of bytes. */
async function writeFully(file: FileHandle, batch: readonly Buffer[], bytes: number): Promise<void> {
  if (bytes === 0) {
    return;
  }
  const { bytesWritten } = await file.writev([...batch]);
  if (bytesWritten < bytes) {
    const rest = Buffer.concat(batch).subarray(bytesWritten);
    await writeFully(file, [rest], rest.length);
  }
}
