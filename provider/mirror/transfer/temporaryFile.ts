import { createWriteStream } from "node:fs";
import { mkdtemp, rm, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { asFileError } from "../../storage/file/error";
import { removeAtExit } from "../../support/removeAtExit";

/** Writes content to a private temporary file, and removes the file after its use, also after an error. */
export async function withTemporaryFile<T>(
  content: AsyncIterable<Buffer>,
  use: (file: string) => Promise<T>,
): Promise<T> {
  let folder: string;
  try {
    folder = await mkdtemp(join(tmpdir(), "docs-platform-mirror-"));
  } catch (error) {
    throw asFileError(error, tmpdir(), "TMPDIR names another one");
  }
  const file = join(folder, "archive");
  const removals = [removeAtExit(file), removeAtExit(folder)];
  try {
    try {
      await pipeline(content, createWriteStream(file, { flags: "wx", mode: 0o600, highWaterMark: 1024 ** 2 }));
    } catch (error) {
      throw asFileError(error, tmpdir(), "TMPDIR names another one");
    }
    return await use(file);
  } finally {
    await rm(file, { force: true });
    await rmdir(folder);
    for (const removal of removals) {
      removal.release();
    }
  }
}
