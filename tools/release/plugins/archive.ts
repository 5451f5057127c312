import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import { createGzip } from "node:zlib";
import { type AsyncZippable, zip } from "fflate";
import { type Pack, pack } from "tar-stream";

/** A file of an archive, by its name there. */
export interface ReleaseFile {
  readonly name: string;
  readonly content: Buffer | string;
  readonly isExecutable?: boolean;
}

/** The earliest time that every archive format can express. All entries have it instead of the time of the build. */
const noTime = new Date("1980-01-01T00:00:00Z");

/** Makes a tar. Its bytes depend only on its files. */
export function tar(files: readonly ReleaseFile[]): Pack {
  const archive = pack();
  for (const { name, content, isExecutable = false } of files) {
    archive.entry({ name, mode: isExecutable ? 0o755 : 0o644, mtime: noTime, uid: 0, gid: 0 }, content);
  }
  archive.finalize();
  return archive;
}

/** The same, compressed. */
export async function reproducibleTarGz(files: readonly ReleaseFile[]): Promise<Buffer> {
  return buffer(tar(files).pipe(createGzip()));
}

/**
 * Makes a zip. Its bytes depend only on its files. Its header says Unix, because readers use modes only in this case.
 */
export async function reproducibleZip(files: readonly ReleaseFile[]): Promise<Buffer> {
  const entries: AsyncZippable = {};
  for (const { name, content, isExecutable = false } of files) {
    const mode = 0o100000 | (isExecutable ? 0o755 : 0o644);
    // Times in a zip have no zone.
    entries[name] = [Buffer.from(content), { mtime: "1980-01-01T12:00:00", os: 3, attrs: mode << 16 }];
  }
  // Runs in a thread, because the lock of the cache is lost if this thread is blocked for seconds.
  return Buffer.from(await promisify<AsyncZippable, Uint8Array>(zip)(entries));
}

/** Returns a line of SHA256SUMS for each file, as `sha256sum --check` reads them. */
export async function checksums(files: readonly { name: string; file: string }[]): Promise<string> {
  const lines = files.map(async ({ name, file }) => {
    return `${createHash("sha256")
      .update(await readFile(file))
      .digest("hex")}  ${name}\n`;
  });
  return (await Promise.all(lines)).sort().join("");
}
