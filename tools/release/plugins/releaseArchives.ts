import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import { createGzip } from "node:zlib";
import { type AsyncZippable, zip } from "fflate";
import { type Pack, pack } from "tar-stream";

export interface ReleaseFile {
  readonly name: string;
  readonly content: Buffer | string;
  readonly isExecutable?: boolean;
}

/** The earliest time that every archive format can express, so that no archive contains the time of its build. */
const noTime = new Date("1980-01-01T00:00:00Z");

/** Makes a tar. Its bytes depend only on the given files. */
export function tar(files: readonly ReleaseFile[]): Pack {
  const archive = pack();
  for (const { name, content, isExecutable = false } of files) {
    archive.entry({ name, mode: isExecutable ? 0o755 : 0o644, mtime: noTime, uid: 0, gid: 0 }, content);
  }
  archive.finalize();
  return archive;
}

/** Makes a tar and compresses it with gzip. The bytes depend only on the given files. */
export async function reproducibleTarGz(files: readonly ReleaseFile[]): Promise<Buffer> {
  return buffer(tar(files).pipe(createGzip()));
}

/** The bytes depend only on the files. The header names Unix, because readers ignore file modes from other systems. */
export async function reproducibleZip(files: readonly ReleaseFile[]): Promise<Buffer> {
  const entries: AsyncZippable = {};
  for (const { name, content, isExecutable = false } of files) {
    const mode = 0o100000 | (isExecutable ? 0o755 : 0o644);
    // A zip contains local times. This time has no zone, so the bytes are equal in every time zone.
    entries[name] = [Buffer.from(content), { mtime: "1980-01-01T12:00:00", os: 3, attrs: mode << 16 }];
  }
  // This runs in another thread, because a blocked main thread could not renew the lock of the cache.
  return Buffer.from(await promisify<AsyncZippable, Uint8Array>(zip)(entries));
}

/** Returns a line for each file, in the format that `sha256sum --check` reads. */
export async function checksums(files: readonly { name: string; file: string }[]): Promise<string> {
  const lines = files.map(async ({ name, file }) => {
    return `${createHash("sha256")
      .update(await readFile(file))
      .digest("hex")}  ${name}\n`;
  });
  return (await Promise.all(lines)).sort().join("");
}
