/** What an archive is by its first bytes. */
export type ArchiveFormat = "tar.gz" | "tar" | "zip";

/** How many of an archive's first bytes `detectFormat` looks at. */
export const formatBytes = 262;

const tarMagic = { offset: 257, bytes: Buffer.from("ustar") };
const magics: readonly (readonly [ArchiveFormat, Buffer])[] = [
  ["tar.gz", Buffer.from([0x1f, 0x8b])],
  ["zip", Buffer.from("PK\x03\x04")],
  // The end of the directory, with which an empty zip begins.
  ["zip", Buffer.from("PK\x05\x06")],
];

/**
 * The format by magic bytes, never by a name; undefined where it is none of these, or `firstBytes` are fewer than the
 * magic needs. Whether a gzip holds a tar shows only when it is read.
 */
export function detectFormat(firstBytes: Uint8Array): ArchiveFormat | undefined {
  const [format] = magics.find(([, magic]) => magic.equals(firstBytes.subarray(0, magic.length))) ?? [];
  if (format) {
    return format;
  }
  const { offset, bytes } = tarMagic;
  return bytes.equals(firstBytes.subarray(offset, offset + bytes.length)) ? "tar" : undefined;
}
