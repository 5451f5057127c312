import { createHash } from "node:crypto";
import type { FileOrObjectStore, ObjectInfo } from "./store";

export interface ObjectDigest extends ObjectInfo {
  /** The digest in lower-case hexadecimal digits; empty if the object changed while it was read. */
  sha256: string;
}

/** Returns the MD5 of content; undefined if this machine's cryptography has no MD5, as under FIPS. */
export function computeMd5(bytes: Buffer): Buffer | undefined {
  try {
    return createHash("md5").update(bytes).digest();
  } catch {
    return undefined;
  }
}

/** If the store does not know the sha256, the whole object is read. Returns undefined if there is no such object. */
export async function readObjectDigest(store: FileOrObjectStore, name: string): Promise<ObjectDigest | undefined> {
  const before = (await store.stat([name])).get(name);
  if (before === undefined) {
    return undefined;
  }
  const sha256 = (await store.sha256(name)) ?? (await hashOf(store.content(name), before.sizeBytes));
  const after = (await store.stat([name])).get(name);
  return { ...before, sha256: after?.revision === before.revision ? sha256 : "" };
}

/** Returns an empty text if the content is longer than expected. */
async function hashOf(content: AsyncIterable<Buffer>, expectedBytes: number): Promise<string> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of content) {
    bytes += chunk.length;
    if (bytes > expectedBytes) {
      return "";
    }
    hash.update(chunk);
  }
  return hash.digest("hex");
}
