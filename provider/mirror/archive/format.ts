export const archiveFormats = ["tar.gz", "tar.zst", "tar", "zip"] as const;

export type ArchiveFormat = (typeof archiveFormats)[number];

export const archiveContentTypes: Readonly<Record<ArchiveFormat, string>> = {
  "tar.gz": "application/gzip",
  "tar.zst": "application/zstd",
  tar: "application/x-tar",
  zip: "application/zip",
};

export const formatDetectionBytes = 262;

const tarMagic = { offset: 257, bytes: Buffer.from("ustar") };
const magics: readonly (readonly [ArchiveFormat, Buffer])[] = [
  ["tar.gz", Buffer.from([0x1f, 0x8b])],
  ["tar.zst", Buffer.from([0x28, 0xb5, 0x2f, 0xfd])],
  ["zip", Buffer.from("PK\x03\x04")],
  // An empty zip consists only of the record that ends its directory.
  ["zip", Buffer.from("PK\x05\x06")],
];

/** Returns undefined for another format. Only reading the file shows whether a compressed file contains a tar. */
export function detectFormat(firstBytes: Uint8Array): ArchiveFormat | undefined {
  const [format] = magics.find(([, magic]) => magic.equals(firstBytes.subarray(0, magic.length))) ?? [];
  if (format) {
    return format;
  }
  const { offset, bytes } = tarMagic;
  return bytes.equals(firstBytes.subarray(offset, offset + bytes.length)) ? "tar" : undefined;
}

/** Links and devices have already been refused. */
export interface CheckedArchiveEntry {
  name: string;
  kind: "file" | "folder";
  sizeBytes: number;
  /** Returns the file's bytes. Call it at most once, and before you request the next member. */
  content(): AsyncIterable<Buffer>;
}
