import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { StorageRetrier } from "../../storage/attempt";
import { addNeededDiskBytes, explainFileFault } from "../../storage/file/error";
import { removeAtExit } from "../../support/files";

/** The write needs no signal, because reading from `content` throws when the transfer is stopped. */
const never = new AbortController().signal;

export async function withTemporaryFile<T>(
  content: AsyncIterable<Buffer>,
  expectedBytes: number | undefined,
  use: (file: string) => Promise<T>,
): Promise<T> {
  const attempts = attemptsThere();
  const folder = await attempts.run(() => mkdtemp(join(tmpdir(), "docs-platform-mirror-")));
  const file = join(folder, "archive");
  const removal = removeAtExit(folder, { recursive: true });
  try {
    await attempts.write(
      () => content,
      never,
      async (observed) => {
        const target = createWriteStream(file, { flags: "wx", mode: 0o600, highWaterMark: 1024 ** 2 });
        await pipeline(observed, target).catch((error: unknown) => {
          throw addNeededDiskBytes(error, Math.max(expectedBytes ?? 0, observed.bytes));
        });
      },
    );
    return await use(file);
  } catch (error) {
    throw explainTemporaryFileFault(error) ?? error;
  } finally {
    // If this removal fails, the folder is removed when the process ends.
    await rm(folder, { recursive: true, force: true }).then(removal.release, () => {});
  }
}

const explain = (error: unknown) => explainFileFault(error, "set it in TMPDIR");
const attemptsThere = () => new StorageRetrier({ place: `the folder ${tmpdir()}`, explain, signal: never });

/** The system's error for a failed read does not name the file, so the returned error names the folder. */
export function explainTemporaryFileFault(error: unknown): Error | undefined {
  return explain(error) && attemptsThere().asError(error, never);
}
