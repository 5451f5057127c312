import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, inflateRaw, zstdDecompress } from "node:zlib";

type Unpack = (packed: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const [zlib, deflate] = [promisify(inflate), promisify(inflateRaw)] as const;
const unpackings: Readonly<Record<string, Unpack>> = {
  gzip: promisify(gunzip),
  "x-gzip": promisify(gunzip),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
  // By the standard, this encoding has the header of zlib. Some servers omit the header.
  deflate: (packed, options) => (hasZlibHeader(packed) ? zlib : deflate)(packed, options),
  identity: async (body) => body,
};

/** The largest number of encodings of one body. No server needs more for a small answer. */
const mostEncodings = 3;

/**
 * Decodes the body of an answer (Content-Encoding). The client asks for no encoding, but some gateways encode the body
 * anyway.
 * @param limit the largest number of bytes after each step.
 */
export async function decodeBody(body: Buffer, header: string | string[] | undefined, limit: number): Promise<Buffer> {
  const encodings = [header ?? []]
    .flat()
    .join(",")
    .toLowerCase()
    .split(",")
    .map((name) => name.trim());
  const applied = encodings.filter((name) => name !== "").reverse();
  if (applied.length > mostEncodings) {
    throw new Error("its body has too many encodings");
  }
  if (applied.length === 0 && isGzip(body)) {
    applied.push("gzip");
  }
  let decoded = body;
  for (const name of applied) {
    const unpack = Object.hasOwn(unpackings, name) ? unpackings[name] : undefined;
    if (unpack === undefined) {
      throw new Error(`its body has the unknown encoding ${JSON.stringify(name)}`);
    }
    try {
      decoded = await unpack(decoded, { maxOutputLength: limit });
    } catch (cause) {
      throw tooLarge(cause) ? cause : new Error(`its body cannot be decoded as ${name}`, { cause });
    }
  }
  return decoded;
}

/**
 * Returns true if a body is packed with gzip, since a gateway may lose the header. No text begins with these two bytes.
 */
function isGzip([first, second]: Buffer): boolean {
  return first === 0x1f && second === 0x8b;
}

function hasZlibHeader([first = 0, second = 0]: Buffer): boolean {
  return (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0;
}

function tooLarge(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && cause.code === "ERR_BUFFER_TOO_LARGE";
}
