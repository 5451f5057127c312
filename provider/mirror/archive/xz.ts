import type { ReadStream } from "node:fs";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { archiveError } from "./error";

/** The meaning of the error codes of XZ Embedded, which the library returns. Any other code means damage. */
const reasons: Readonly<Record<string, string>> = {
  "4": "the archive needs more memory to unpack than this provider allows",
  "6": "the archive has a checksum or a filter of xz that is not supported (use --check=crc64 and no filter)",
  "8": "the archive is cut short",
};

/**
 * Unpacks an xz file, also a file with several streams.
 * @throws ArchiveError if the file is cut short, damaged, or of a kind that is not supported.
 */
export async function* unpackXz(packed: ReadStream): AsyncGenerator<Buffer> {
  const library = await import("xz-decompress");
  // Node.js does not find the names that this CommonJS module exports; bundlers do.
  const { XzReadableStream } = "default" in library ? (library.default as typeof library) : library;
  const unpacked = new XzReadableStream(Readable.toWeb(packed) as ConstructorParameters<typeof XzReadableStream>[0]);
  try {
    for await (const chunk of unpacked as unknown as ReadableStream<Uint8Array>) {
      yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    }
  } catch (error) {
    // The library fails with a TypeError if the stream is empty.
    if (error instanceof TypeError && packed.bytesRead === 0) {
      throw archiveError("the archive is empty");
    }
    const [, code = ""] = /error code (\d+)$/.exec(error instanceof Error ? error.message : "") ?? [];
    const reason = reasons[code];
    throw reason === undefined ? error : archiveError(reason);
  } finally {
    packed.destroy();
  }
}
