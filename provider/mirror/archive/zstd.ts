import { pipeline } from "node:stream";
import { createZstdDecompress } from "node:zlib";
import { archiveError } from "./error";

/**
 * Unpacks a zstd file of one frame (RFC 8878). The library ends at the end of a frame, and drops what comes after it.
 * @throws ArchiveError if the file has more than this frame.
 */
export async function* unpackZstd(packed: AsyncIterable<Buffer>, sizeBytes: number): AsyncGenerator<Buffer> {
  const frame = pipeline(packed, createZstdDecompress({ chunkSize: 128 * 1024 }), () => undefined);
  yield* frame;
  if (frame.bytesWritten < sizeBytes) {
    throw archiveError("the archive has bytes behind its first zstd frame: a .tar.zst must be one frame");
  }
}
