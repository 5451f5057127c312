import type { FileOrObjectStore, ObjectInfo } from "./store";

/** `no-cache` is needed, because an old text from a cache could describe files that have changed. */
export function putText(
  store: FileOrObjectStore,
  name: string,
  text: string,
  signal: AbortSignal,
): Promise<ObjectInfo> {
  const contentType = name.endsWith(".json") ? "application/json" : "text/plain; charset=utf-8";
  const bytes = Buffer.from(text);
  const options = { contentType, cacheControl: "no-cache", expectedBytes: bytes.length, signal };
  return store.put(name, singleChunk(bytes), options);
}

export async function* singleChunk(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

/** The text is empty if the stream has more than `maxBytes`. */
export async function readText(stream: AsyncIterable<Buffer>, maxBytes: number): Promise<string> {
  return (await readUpTo(stream, maxBytes))?.toString("utf8") ?? "";
}

export async function readBounded(stream: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const bytes = await readUpTo(stream, maxBytes);
  if (bytes === undefined) {
    throw new Error(`the answer is larger than ${maxBytes} bytes, which is too large for a storage`);
  }
  return bytes;
}

async function readUpTo(stream: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      return undefined;
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
