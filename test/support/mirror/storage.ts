import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { filesIn } from "../../../tools/filesIn";
import type { Reply } from "../loopback";

export { filesIn };

/** Every file below a folder with its content. */
export function contentIn(folder: string): Record<string, string> {
  return Object.fromEntries(filesIn(folder).map((name) => [name, readFileSync(join(folder, name), "latin1")]));
}

export function sha256Of(bytes: Uint8Array | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Returns bytes that begin like a gzip and differ at every offset, so that a wrong offset is noticed. */
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
  /** Sends this number of the requested bytes, and then breaks the connection. */
  cutAfter?: number;
  /** Answers a Range with the whole file, like a storage without ranges. */
  withoutRanges?: boolean;
  /** Sends in chunks, without a length. */
  chunked?: boolean;
  headers?: Record<string, string>;
}

/** Answers like an object store: with the whole file, or with a Range if If-Range names the same file. */
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
      // Breaks the connection only after a moment, because bytes in this side's buffers would be lost.
      response.write(body.subarray(0, cutAfter), () => setTimeout(() => socket.destroy(), 20));
    }
  };
}
