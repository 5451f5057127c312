import { maxTextBytes, type ObjectInfo, type Store } from "./store";

/** Puts a text that describes other files, so that nobody may keep an old one. */
export function putText(store: Store, name: string, text: string, signal: AbortSignal): Promise<ObjectInfo> {
  const contentType = name.endsWith(".json") ? "application/json" : "text/plain; charset=utf-8";
  const bytes = Buffer.from(text);
  const options = { contentType, cacheControl: "no-cache", expectedBytes: bytes.length, signal };
  return store.put(name, singleChunk(bytes), options);
}

export async function* singleChunk(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

/** The text of a JSON file of ours, which people can read. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/** The text of a stream; empty as soon as it is more than one of ours can have. */
export async function readText(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > maxTextBytes) {
      return "";
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** What a JSON text holds; undefined where it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
