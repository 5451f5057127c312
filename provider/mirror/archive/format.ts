export const archiveFormats = ["tar.gz", "tar.zst", "tar.xz", "tar", "zip"] as const;

/** The format of an archive, by its first bytes. */
export type ArchiveFormat = (typeof archiveFormats)[number];

/** The number of first bytes that `detectFormat` needs. */
export const formatBytes = 262;

const tarMagic = { offset: 257, bytes: Buffer.from("ustar") };
const magics: readonly (readonly [ArchiveFormat, Buffer])[] = [
  ["tar.gz", Buffer.from([0x1f, 0x8b])],
  ["tar.zst", Buffer.from([0x28, 0xb5, 0x2f, 0xfd])],
  // A frame to skip, of 16 kinds, may be the first one.
  ...Array.from({ length: 16 }, (_, kind) => ["tar.zst", Buffer.from([0x50 + kind, 0x2a, 0x4d, 0x18])] as const),
  ["tar.xz", Buffer.from("\xfd7zXZ\0", "latin1")],
  ["zip", Buffer.from("PK\x03\x04")],
  // The end record of the directory: an empty zip begins with it.
  ["zip", Buffer.from("PK\x05\x06")],
];

/**
 * Detects the format by magic bytes, never by a name; undefined for any other format, or if `firstBytes` are too few.
 * Only reading what is packed shows whether it contains a tar.
 */
export function detectFormat(firstBytes: Uint8Array): ArchiveFormat | undefined {
  const [format] = magics.find(([, magic]) => magic.equals(firstBytes.subarray(0, magic.length))) ?? [];
  if (format) {
    return format;
  }
  const { offset, bytes } = tarMagic;
  return bytes.equals(firstBytes.subarray(offset, offset + bytes.length)) ? "tar" : undefined;
}
