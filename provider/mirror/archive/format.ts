export const archiveFormats = ["tar.gz", "tar.zst", "tar", "zip"] as const;

export type ArchiveFormat = (typeof archiveFormats)[number];

/** The media type of each format. */
export const archiveContentTypes: Readonly<Record<ArchiveFormat, string>> = {
  "tar.gz": "application/gzip",
  "tar.zst": "application/zstd",
  tar: "application/x-tar",
  zip: "application/zip",
};

export const detectionBytes = 262;

const tarMagic = { offset: 257, bytes: Buffer.from("ustar") };
const magics: readonly (readonly [ArchiveFormat, Buffer])[] = [
  ["tar.gz", Buffer.from([0x1f, 0x8b])],
  ["tar.zst", Buffer.from([0x28, 0xb5, 0x2f, 0xfd])],
  ["zip", Buffer.from("PK\x03\x04")],
  // An empty zip has only the end record of its directory.
  ["zip", Buffer.from("PK\x05\x06")],
];

/**
 * Detects the format by magic bytes, never by a name. Returns undefined for any other format, or if `firstBytes` are
 * too few. Only reading a compressed file shows whether it contains a tar.
 */
export function detectFormat(firstBytes: Uint8Array): ArchiveFormat | undefined {
  const [format] = magics.find(([, magic]) => magic.equals(firstBytes.subarray(0, magic.length))) ?? [];
  if (format) {
    return format;
  }
  const { offset, bytes } = tarMagic;
  return bytes.equals(firstBytes.subarray(offset, offset + bytes.length)) ? "tar" : undefined;
}

/** One entry, as the archive's format describes it. The reader refuses links and devices before. */
export interface Member {
  name: string;
  kind: "file" | "folder";
  sizeBytes: number;
  /** The file's bytes. Call it at most once, before you ask for the next member. */
  content(): AsyncIterable<Buffer>;
}
