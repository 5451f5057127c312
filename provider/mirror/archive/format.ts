export const archiveFormats = ["tar.gz", "tar.zst", "tar.xz", "tar", "zip"] as const;

/** A format that can be unpacked. The first bytes of an archive show it. */
export type ArchiveFormat = (typeof archiveFormats)[number];

export const bundleFormats = [...archiveFormats, "bin"] as const;

/** The format of a bundle: `bin` for anything that is kept as it is, and not unpacked. */
export type BundleFormat = (typeof bundleFormats)[number];

/** The number of first bytes that `detectFormat` needs. */
export const formatBytes = 262;

const tarMagic = { offset: 257, bytes: Buffer.from("ustar") };
const magics: readonly (readonly [ArchiveFormat, Buffer])[] = [
  ["tar.gz", Buffer.from([0x1f, 0x8b])],
  ["tar.zst", Buffer.from([0x28, 0xb5, 0x2f, 0xfd])],
  // The first frame may be a skippable frame, of which there are 16 kinds.
  ...Array.from({ length: 16 }, (_, kind) => ["tar.zst", Buffer.from([0x50 + kind, 0x2a, 0x4d, 0x18])] as const),
  ["tar.xz", Buffer.from("\xfd7zXZ\0", "latin1")],
  ["zip", Buffer.from("PK\x03\x04")],
  // An empty zip begins with the end record of the directory.
  ["zip", Buffer.from("PK\x05\x06")],
];

/**
 * Detects the format by magic bytes, never by a name. Returns undefined for any other format, or if `firstBytes` are
 * too few. Whether a compressed file contains a tar is seen only when the file is read.
 */
export function detectFormat(firstBytes: Uint8Array): ArchiveFormat | undefined {
  const [format] = magics.find(([, magic]) => magic.equals(firstBytes.subarray(0, magic.length))) ?? [];
  if (format) {
    return format;
  }
  const { offset, bytes } = tarMagic;
  return bytes.equals(firstBytes.subarray(offset, offset + bytes.length)) ? "tar" : undefined;
}

/**
 * Returns true if these are the first bytes of a text, such as a sign-in page. No archive and no other binary file
 * begins like a text.
 */
export function looksLikeText(firstBytes: Uint8Array): boolean {
  return firstBytes.every((byte) => (byte >= 0x20 && byte !== 0x7f) || [0x09, 0x0a, 0x0c, 0x0d].includes(byte));
}

/** One entry as the archive's format describes it. Links and devices have already been refused. */
export interface Member {
  /** The name as written in the archive. */
  name: string;
  kind: "file" | "folder";
  sizeBytes: number;
  /** The file's bytes. Call it at most once, before you ask for the next member. */
  content(): AsyncGenerator<Buffer>;
}
