import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { createGzip } from "node:zlib";
import { pack } from "tar-stream";

/** A file of an archive, by its name there. */
export interface ArchivedFile {
  readonly name: string;
  readonly content: Buffer | string;
  readonly isExecutable?: boolean;
}

/** The beginning of the years that every format of archives knows, in place of the time of a build. */
const noTime = new Date("1980-01-01T00:00:00Z");

/** A tar.gz with the same bytes for the same files, whenever and by whomever it is made. */
export async function tarGz(files: readonly ArchivedFile[]): Promise<Buffer> {
  const archive = pack();
  for (const { name, content, isExecutable = false } of files) {
    archive.entry({ name, mode: isExecutable ? 0o755 : 0o644, mtime: noTime, uid: 0, gid: 0 }, content);
  }
  archive.finalize();
  return buffer(archive.pipe(createGzip()));
}

/** A line of SHA256SUMS for each file, as `sha256sum --check` reads them. */
export async function checksums(files: readonly { name: string; file: string }[]): Promise<string> {
  const lines = files.map(async ({ name, file }) => {
    return `${createHash("sha256")
      .update(await readFile(file))
      .digest("hex")}  ${name}\n`;
  });
  return (await Promise.all(lines)).sort().join("");
}
