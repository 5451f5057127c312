import { createHash } from "node:crypto";

export interface ContentHashAndSize {
  sha256: string;
  sizeBytes: number;
}

/**
 * Passes the content on, and measures it.
 * @param onWhole is called after the last byte, but before the reader sees the end. If it throws, the reader gets the
 * error.
 */
export async function* measureContent(
  chunks: AsyncIterable<Buffer>,
  onWhole: (measure: ContentHashAndSize) => Promise<void> | void,
  onBytes?: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  const hash = createHash("sha256");
  let sizeBytes = 0;
  for await (const chunk of chunks) {
    hash.update(chunk);
    sizeBytes += chunk.length;
    onBytes?.(sizeBytes);
    yield chunk;
  }
  await onWhole({ sha256: hash.digest("hex"), sizeBytes });
}

export async function readFirstBytes(
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
