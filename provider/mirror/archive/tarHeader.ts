import type { extract as Extract, Header } from "tar-stream";
import type { ByteReader } from "./byteReader";
import { archiveError } from "./error";

export const blockBytes = 512;
const zeroBlock = Buffer.alloc(blockBytes);

/** The types of headers that contain only a long name, or attributes, of the next entry: pax and GNU. */
const prefaceTypes = "xgLKN";
/** The largest total size of such headers before one entry, in bytes. The longest path needs a few hundred bytes. */
const maxPrefaceBytes = 1024 ** 2;

const cutShort = () => archiveError("the archive is cut short");

/** Returns the number of bytes that `size` bytes occupy in a tar, which consists of whole blocks. */
export function paddedSize(size: number): number {
  return Math.ceil(size / blockBytes) * blockBytes;
}

/**
 * Reads the next entry's header, including its long name; undefined at the end mark. tar-stream decodes the blocks, but
 * does not get the stream: it accepts a tar without an end mark, and continues to read after an end mark.
 */
export async function nextTarHeader(reader: ByteReader, extract: typeof Extract): Promise<Header | undefined> {
  const first = await reader.exactly(blockBytes);
  if (first?.equals(zeroBlock)) {
    return undefined;
  }
  const blocks: Buffer[] = [];
  let bytes = 0;
  for (let block = first; ; block = await reader.exactly(blockBytes)) {
    if (!block) {
      throw cutShort();
    }
    blocks.push(block);
    if (!prefaceTypes.includes(String.fromCharCode(block[156] ?? 0))) {
      return decode(Buffer.concat(blocks), extract);
    }
    const size = prefaceSize(block);
    bytes += blockBytes + size;
    if (!(bytes <= maxPrefaceBytes)) {
      throw archiveError("the archive is damaged: a header has an invalid size");
    }
    const data = await reader.exactly(size);
    if (!data) {
      throw cutShort();
    }
    blocks.push(data);
  }
}

function prefaceSize(block: Buffer): number {
  const digits = block.toString("latin1", 124, 136).replaceAll("\0", " ").trim();
  return /^[0-7]+$/.test(digits) ? paddedSize(Number.parseInt(digits, 8)) : Number.NaN;
}

function decode(blocks: Buffer, extract: typeof Extract): Promise<Header> {
  return new Promise((resolve, reject) => {
    let found: Header | undefined;
    const settle = () => {
      return found
        ? resolve(found)
        : reject(archiveError("the archive is damaged, or not a tar file: it contains an invalid header"));
    };
    // The small buffer makes the decoder emit `drain` after each write, when the whole write is processed.
    const decoder = extract({ highWaterMark: 1 });
    decoder.on("entry", (header) => {
      found = header;
    });
    decoder.on("drain", settle);
    decoder.on("error", settle);
    decoder.write(blocks);
  });
}
