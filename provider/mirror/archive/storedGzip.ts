import { crc32 } from "node:zlib";

/** The gzip header (RFC 1952): the method is deflate; the flags, the time and the system are not set. */
const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
/** The largest number of bytes in a stored block of deflate (RFC 1951), and the number of bytes in a block's header. */
const maxBlockBytes = 65_535;
const blockHeaderBytes = 5;

/**
 * Yields content as gzip without compression. Compressed bytes would depend on the processor and on the version of the
 * compression library. Without compression, every machine produces the same bytes.
 */
export async function* storedGzip(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const newBlock = () => Buffer.allocUnsafe(blockHeaderBytes + maxBlockBytes);
  let [block, filled, bytes, checksum] = [newBlock(), 0, 0, 0];
  yield header;
  for await (const chunk of content) {
    checksum = crc32(chunk, checksum);
    bytes += chunk.length;
    for (let copied = 0; copied < chunk.length; ) {
      if (filled === maxBlockBytes) {
        yield completed(block, filled, false);
        [block, filled] = [newBlock(), 0];
      }
      const count = chunk.copy(block, blockHeaderBytes + filled, copied);
      filled += count;
      copied += count;
    }
  }
  yield completed(block, filled, true);
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(checksum, 0);
  trailer.writeUInt32LE(bytes % 2 ** 32, 4);
  yield trailer;
}

function completed(block: Buffer, filled: number, last: boolean): Buffer {
  block.writeUInt8(last ? 1 : 0, 0);
  block.writeUInt16LE(filled, 1);
  block.writeUInt16LE(maxBlockBytes - filled, 3);
  return block.subarray(0, blockHeaderBytes + filled);
}
