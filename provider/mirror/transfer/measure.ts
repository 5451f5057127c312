import { createHash } from "node:crypto";
import { collectGarbageAfter } from "./collectGarbage";

/** What a whole archive was. */
export interface Measure {
  /** In lower-case hexadecimal digits. */
  sha256: string;
  sizeBytes: number;
}

export interface Measuring {
  /** Called with all bytes so far. */
  onBytes?: (bytes: number) => void;
  /** Called when all has come, before the reader learns of the end: where it throws, the reader has nothing whole. */
  onWhole(measure: Measure): Promise<void> | void;
}

/** Passes the chunks on, and measures them on the way. */
export async function* measured(
  chunks: AsyncIterable<Buffer>,
  { onBytes, onWhole }: Measuring,
): AsyncGenerator<Buffer> {
  const hash = createHash("sha256");
  let sizeBytes = 0;
  for await (const chunk of chunks) {
    hash.update(chunk);
    sizeBytes += chunk.length;
    onBytes?.(sizeBytes);
    collectGarbageAfter(chunk.length);
    yield chunk;
  }
  await onWhole({ sha256: hash.digest("hex"), sizeBytes });
}

/** The first bytes, at least so many where there are so many, and then all chunks from the start. */
export async function peek(
  chunks: AsyncGenerator<Buffer>,
  bytes: number,
): Promise<{ first: Buffer; all: AsyncGenerator<Buffer> }> {
  const begun: Buffer[] = [];
  for (let length = 0; length < bytes; ) {
    const { done, value } = await chunks.next();
    if (done) {
      break;
    }
    begun.push(value);
    length += value.length;
  }
  async function* all(): AsyncGenerator<Buffer> {
    yield* begun;
    yield* chunks;
  }
  return { first: Buffer.concat(begun), all: all() };
}
