import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";

type Unpack = (packed: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const unpackings = new Map<string, Unpack>([
  ["gzip", promisify(gunzip)],
  ["br", promisify(brotliDecompress)],
  ["deflate", promisify(inflate)],
  ["identity", async (body) => body],
]);

/**
 * Decodes the body of an answer (Content-Encoding). The client asks for no encoding, but some gateways encode the body
 * anyway.
 * @param limit the largest number of bytes of the result.
 */
export async function decodeBody(body: Buffer, header: string | string[] | undefined, limit: number): Promise<Buffer> {
  const name =
    String(header ?? "")
      .trim()
      .toLowerCase() || "identity";
  const unpack = unpackings.get(name);
  if (unpack === undefined) {
    throw new Error(`its body has the unknown encoding ${JSON.stringify(name)}`);
  }
  try {
    return await unpack(body, { maxOutputLength: limit });
  } catch (cause) {
    const isTooLarge = cause instanceof Error && "code" in cause && cause.code === "ERR_BUFFER_TOO_LARGE";
    throw isTooLarge ? cause : new Error(`its body cannot be decoded as ${name}`, { cause });
  }
}
