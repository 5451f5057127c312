import { createWriteStream } from "node:fs";
import { mkdtemp, rm, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { Attempts } from "../../storage/attempt";
import { explainFileFault } from "../../storage/file/error";
import { removeAtExit } from "../../support/files";

/** The writer of the content stops it. */
const never = new AbortController().signal;

/** Writes content to a private temporary file. Removes the file after its use, also after an error. */
export async function withTemporaryFile<T>(
  content: AsyncIterable<Buffer>,
  use: (file: string) => Promise<T>,
): Promise<T> {
  const explain = (error: unknown) => explainFileFault(error, "set it in TMPDIR");
  const attempts = new Attempts({ place: `the folder ${tmpdir()}`, explain, signal: never });
  const folder = await attempts.run(() => mkdtemp(join(tmpdir(), "docs-platform-mirror-")));
  const file = join(folder, "archive");
  const removals = [removeAtExit(file), removeAtExit(folder)];
  try {
    await attempts.write(content, never, (observed) =>
      pipeline(observed, createWriteStream(file, { flags: "wx", mode: 0o600, highWaterMark: 1024 ** 2 })),
    );
    return await use(file);
  } finally {
    await rm(file, { force: true });
    await rmdir(folder);
    for (const removal of removals) {
      removal.release();
    }
  }
}
