import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { filesIn } from "../../../tools/filesIn";
import type { Reply } from "../loopback";

export { filesIn };

/** Returns the content of every file below a folder, by its path, as latin1 text. */
export function contentIn(folder: string): Record<string, string> {
  return Object.fromEntries(filesIn(folder).map((name) => [name, readFileSync(join(folder, name), "latin1")]));
}

export function sha256Of(bytes: Uint8Array | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** The bytes begin like a gzip file. No pattern repeats, so a test notices a wrong offset. */
export function gzipLike(size: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(size);
  for (let at = 0, value = seed; at < size; at++) {
    value = (Math.imul(value, 1_103_515_245) + 12_345) >>> 0;
    bytes[at] = value >>> 16;
  }
  bytes.set([0x1f, 0x8b]);
  return bytes;
}

export interface StorageOptions {
  etag?: string | undefined;
  lastModified?: string | undefined;
  /** The reply breaks the connection after this many bytes. */
  cutAfter?: number;
  /** The storage ignores a Range and sends the whole file. */
  withoutRanges?: boolean;
  /** The body is sent in chunks, without a content length. */
  chunked?: boolean;
  headers?: Record<string, string>;
}

/** Sends the whole file, or the requested range if `If-Range` names this file. */
export function storageReply(bytes: Buffer, options: StorageOptions = {}): Reply {
  const { etag, lastModified, cutAfter, withoutRanges, chunked, headers = {} } = options;
  return (response, { request, socket }) => {
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
    const condition = request.headers["if-range"];
    const same = condition === undefined || condition === etag || condition === lastModified;
    const partial = from > 0 && same && !withoutRanges;
    const body = partial ? bytes.subarray(from) : bytes;
    response.writeHead(partial ? 206 : 200, {
      ...(etag !== undefined && { etag }),
      ...(lastModified !== undefined && { "last-modified": lastModified }),
      ...(!chunked && { "content-length": String(body.length) }),
      ...(partial && { "content-range": `bytes ${from}-${bytes.length - 1}/${bytes.length}` }),
      ...headers,
    });
    if (cutAfter === undefined) {
      response.end(body);
    } else {
      // Without the pause, bytes that are still in buffers would be lost.
      response.write(body.subarray(0, cutAfter), () => setTimeout(() => socket.destroy(), 20));
    }
  };
}
