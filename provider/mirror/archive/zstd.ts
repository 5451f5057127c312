import { pipeline } from "node:stream";
import { createZstdDecompress } from "node:zlib";
import { archiveError } from "./error";

/**
 * Unpacks a zstd file (RFC 8878). Before version 26, the library of Node.js stops after the first frame.
 * @throws ArchiveError if the library has not read the whole file.
 */
export async function* unpackZstd(packed: AsyncIterable<Buffer>, sizeBytes: number): AsyncGenerator<Buffer> {
  const frame = pipeline(packed, createZstdDecompress({ chunkSize: 128 * 1024 }), () => undefined);
  yield* frame;
  if (frame.bytesWritten < sizeBytes) {
    throw archiveError("the archive has bytes behind its first zstd frame: a .tar.zst must be one frame");
  }
}
