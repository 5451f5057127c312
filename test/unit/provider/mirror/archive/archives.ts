import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { constants, gzipSync, zstdCompressSync } from "node:zlib";
import { type Pack, pack } from "tar-stream";
import { expect } from "vitest";
import type { ArchiveFormat } from "../../../../../provider/mirror/archive/format";
import { defaultUnpackLimits, type UnpackLimits } from "../../../../../provider/mirror/archive/limits";
import {
  type ArchivedFileDigest,
  checkArchiveAndListDigests,
  readArchive,
} from "../../../../../provider/mirror/archive/readArchive";
import { ArchiveError } from "../../../../../provider/support/errors";
import { temporaryFolder } from "../../../../support/temporaryFolder";
import { zipOf } from "../../../../support/zipOf";

export const formats: ArchiveFormat[] = ["tar.gz", "tar.zst", "tar", "zip"];

export type Files = [path: string, content: string][];

export function archiveFile(bytes: Uint8Array): string {
  const file = join(temporaryFolder(), "archive");
  writeFileSync(file, bytes);
  return file;
}

export async function tarOf(
  entries: (Parameters<Pack["entry"]>[0] & { content?: string | Buffer })[],
): Promise<Buffer> {
  const tar = pack();
  for (const { content = "", ...header } of entries) {
    tar.entry({ mtime: new Date(0), ...header }, content);
  }
  tar.finalize();
  return buffer(tar as unknown as NodeJS.ReadableStream);
}

export async function archiveWith(format: ArchiveFormat, files: Files): Promise<Buffer> {
  const entries = files.map(([name, content]) => ({ name, content }));
  if (format === "zip") {
    return zipOf(entries);
  }
  return packedAs(format, await tarOf(entries));
}

export function packedAs(format: Exclude<ArchiveFormat, "zip">, tar: Uint8Array): Buffer {
  switch (format) {
    case "tar":
      return Buffer.from(tar);
    case "tar.gz":
      return gzipSync(tar);
    case "tar.zst":
      return zstdCompressSync(tar, { params: { [constants.ZSTD_c_checksumFlag]: 1 } });
  }
}

/** Reads an archive with `checkArchiveAndListDigests` and with `readArchive`. Both must give the same files. */
export async function filesInArchive(
  file: string,
  format: ArchiveFormat,
  limits: UnpackLimits = defaultUnpackLimits,
): Promise<Files> {
  const contents = await checkArchiveAndListDigests(file, format, { limits });
  const files: Files = [];
  const read: ArchivedFileDigest[] = [];
  for await (const { path, sizeBytes, content: unread } of readArchive(file, format, limits)) {
    const content = await buffer(unread);
    expect(content).toHaveLength(sizeBytes);
    read.push({ path, sizeBytes, sha256: createHash("sha256").update(content).digest("hex") });
    files.push([path, content.toString("utf8")]);
  }
  expect(read).toEqual(contents);
  return files;
}

/** Returns the first line of the reader's error. Fails if the reader accepts the archive. */
export async function refusalOf(
  bytes: Uint8Array,
  format: ArchiveFormat,
  limits = defaultUnpackLimits,
): Promise<string> {
  const outcome = await checkArchiveAndListDigests(archiveFile(bytes), format, { limits }).catch(
    (error: unknown) => error,
  );
  expect(outcome).toBeInstanceOf(ArchiveError);
  return (outcome as ArchiveError).happened;
}
