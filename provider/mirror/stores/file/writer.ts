import type { FileHandle } from "node:fs/promises";

/** Written at once: large enough that a write costs little, small enough that two of them are no matter. */
const batchBytes = 1024 ** 2;

/** After so many bytes the disk is set to work, so that the end waits for the last of them only. */
const syncBytes = 32 * 1024 ** 2;

/** Writes a whole file and waits until the disk has it. While one batch is on its way there, the next one is filled. */
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
  /** Kept also when it has failed: the system tells a fault of the disk once, to whoever asks first. */
  #syncing: Promise<void> = Promise.resolve();
  #syncRunning = false;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  /** @returns the bytes that wait for a flush. */
  add(chunk: Buffer): number {
    this.#batch.push(chunk);
    this.#batchedBytes += chunk.length;
    return this.#batchedBytes;
  }

  /** Resolves when the batch before this one is written. */
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

  /** Nothing may be under way when the file is closed. */
  async settled(): Promise<void> {
    await Promise.allSettled([this.#writing, this.#syncing]);
  }

  async #sync(before: Promise<void>): Promise<void> {
    await before;
    await this.#file.datasync();
    this.#syncRunning = false;
  }
}

/** Who waits for the promise gets its error; until somebody does, it must not end the process. */
function withoutUnhandledRejection(promise: Promise<void>): Promise<void> {
  promise.catch(() => {});
  return promise;
}

/** A full disk may take a part of a batch, and tell so by the number of bytes alone. */
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
