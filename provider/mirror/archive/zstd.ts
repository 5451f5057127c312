import { pipeline } from "node:stream";
import { createZstdDecompress } from "node:zlib";
import { ByteReader } from "./byteReader";
import { archiveError } from "./error";

const frameMagic = 0xfd2fb528;
const skippableMagic = 0x184d2a50;
/** Returns true for a skippable frame, which begins with one of 16 numbers. */
const isSkippable = (magic: number) => (magic & ~0xf) === skippableMagic;

/**
 * Unpacks all frames of a zstd file (RFC 8878). This function separates the frames itself: zlib ends after the first
 * frame, and in some versions of Node.js accepts a frame that is cut short.
 * @throws ArchiveError for anything that is not a whole frame.
 */
export async function* unpackZstd(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const reader = new ByteReader(packed);
  try {
    for (let start = await reader.some(1); start; start = await reader.some(1)) {
      const magic = Buffer.concat([start, await take(reader, 3)]);
      if (isSkippable(magic.readInt32LE())) {
        for await (const _ of pieces(reader, (await take(reader, 4)).readUInt32LE())) {
          // Skipped.
        }
      } else if (magic.readUInt32LE() === frameMagic) {
        // `pipeline` passes an error of either stream to the last stream.
        yield* pipeline(frame(reader, magic), createZstdDecompress({ chunkSize: 128 * 1024 }), () => undefined);
      } else {
        throw archiveError("the archive is damaged: a zstd frame is followed by bytes that are not zstd");
      }
    }
  } finally {
    await reader.close();
  }
}

/** Yields the bytes of one frame: its header, its blocks, its checksum. */
async function* frame(reader: ByteReader, magic: Buffer): AsyncGenerator<Buffer> {
  const descriptor = await take(reader, 1);
  const flags = descriptor.readUInt8();
  const isSingleSegment = (flags & 0x20) !== 0;
  const sizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][flags >> 6] ?? 0;
  const dictionaryBytes = [0, 1, 2, 4][flags & 3] ?? 0;
  const header = await take(reader, (isSingleSegment ? 0 : 1) + dictionaryBytes + sizeBytes);
  yield Buffer.concat([magic, descriptor, header]);
  for (let last = false; !last; ) {
    const block = await take(reader, 3);
    const described = block.readUIntLE(0, 3);
    last = (described & 1) === 1;
    yield block;
    // A block of one repeated byte (type 1) has only that byte.
    yield* pieces(reader, ((described >> 1) & 3) === 1 ? 1 : described >> 3);
  }
  if (flags & 4) {
    yield await take(reader, 4);
  }
}

async function* pieces(reader: ByteReader, size: number): AsyncGenerator<Buffer> {
  for (let left = size; left > 0; ) {
    const piece = await reader.some(left);
    if (!piece) {
      throw cutShort();
    }
    left -= piece.length;
    yield piece;
  }
}

async function take(reader: ByteReader, size: number): Promise<Buffer> {
  const bytes = size === 0 ? Buffer.alloc(0) : await reader.exactly(size);
  if (!bytes) {
    throw cutShort();
  }
  return bytes;
}

const cutShort = () => archiveError("the archive is cut short");
