import { crc32 } from "node:zlib";
import { partsOf } from "../../support/parts";

/** The gzip header (RFC 1952) for deflate, without flags, time and system. */
const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
/** In bytes: the longest stored block of deflate (RFC 1951), and the header of a block. */
const maxBlockBytes = 65_535;
const blockHeaderBytes = 5;

/** Without compression, every machine and every version of the library produces the same bytes. */
export async function* storedGzip(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let [bytes, checksum] = [0, 0];
  yield header;
  for await (const part of partsOf(content, maxBlockBytes, undefined)) {
    bytes += part.bytes.length;
    checksum = crc32(part.bytes, checksum);
    const blockHeader = Buffer.alloc(blockHeaderBytes);
    blockHeader.writeUInt8(part.last ? 1 : 0, 0);
    blockHeader.writeUInt16LE(part.bytes.length, 1);
    blockHeader.writeUInt16LE(maxBlockBytes - part.bytes.length, 3);
    yield Buffer.concat([blockHeader, part.bytes]);
    part.release();
  }
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(checksum, 0);
  trailer.writeUInt32LE(bytes % 2 ** 32, 4);
  yield trailer;
}
