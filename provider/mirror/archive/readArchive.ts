import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { entryPath } from "./entryPath";
import { archiveError, asArchiveError, quoted } from "./error";
import type { ArchiveFormat, Member } from "./format";
import { defaultLimits, UnpackBudget, type UnpackLimits } from "./limits";
import { tarMembers } from "./tar";
import { UniquePaths } from "./uniquePaths";
import { zipMembers } from "./zip";

/** One file of an archive. */
export interface ArchiveEntry {
  /** The relative path, with `/`, without `.`, `..` and empty segments. A single folder around everything is kept. */
  path: string;
  sizeBytes: number;
  /** Read the stream to its end before you ask for the next entry, or destroy it: then the rest is skipped. */
  stream: Readable;
}

/** The path, the size and the digest of a file in an archive. */
export interface ArchivedFile {
  path: string;
  sizeBytes: number;
  /** The digest in lower-case hexadecimal digits. */
  sha256: string;
}

/**
 * Yields the regular files of an archive in its order, one at a time and in constant memory. Folders are skipped. A
 * damaged part is found only when it is read: publish nothing before `verifyArchive` has passed.
 * @throws ArchiveError, also from an entry's stream, if the archive is damaged, cut short, larger than the limits, or has
 * an entry that could write outside of its folder or over another entry.
 */
export async function* readArchive(
  file: string,
  format: ArchiveFormat,
  limits: UnpackLimits = defaultLimits,
): AsyncGenerator<ArchiveEntry, void> {
  const budget = new UnpackBudget(limits, (await stat(file)).size);
  const unique = new UniquePaths();
  try {
    for await (const member of format === "zip" ? zipMembers(file, budget) : tarMembers(file, format, budget)) {
      budget.addEntry();
      const path = acceptedPath(member, limits, unique);
      if (member.kind === "file") {
        const stream = Readable.from(content(member), { objectMode: false, highWaterMark: 128 * 1024 });
        try {
          yield { path, sizeBytes: member.sizeBytes, stream };
        } finally {
          await close(stream);
        }
      }
    }
  } catch (error) {
    throw asArchiveError(error);
  }
}

/**
 * Reads a whole archive once and makes every check, including those that need the last byte: checksums, sizes, the end
 * mark. Afterwards `readArchive` yields the same files as long as nobody changes the archive.
 * @returns the files in the archive's order.
 * @throws ArchiveError as `readArchive` does.
 */
export async function verifyArchive(
  file: string,
  format: ArchiveFormat,
  limits: UnpackLimits = defaultLimits,
): Promise<ArchivedFile[]> {
  const files: ArchivedFile[] = [];
  for await (const { path, stream } of readArchive(file, format, limits)) {
    const hash = createHash("sha256");
    let sizeBytes = 0;
    for await (const chunk of stream) {
      hash.update(chunk);
      sizeBytes += chunk.length;
    }
    files.push({ path, sizeBytes, sha256: hash.digest("hex") });
  }
  return files;
}

function acceptedPath({ name, kind, sizeBytes }: Member, limits: UnpackLimits, unique: UniquePaths): string {
  const path = entryPath(name, limits);
  if (!Number.isSafeInteger(sizeBytes) || sizeBytes < 0) {
    throw archiveError(`the archive's entry ${quoted(name)} has an invalid size`);
  }
  if (kind === "folder") {
    unique.addFolder(path);
  } else if (path === "") {
    throw archiveError(`the archive's entry ${quoted(name)} has no name`);
  } else {
    unique.addFile(path);
  }
  if (sizeBytes > limits.bytes) {
    throw archiveError(`the archive's entry ${quoted(name)} has more than ${limits.bytes} bytes`);
  }
  return path;
}

async function* content(member: Member): AsyncGenerator<Buffer> {
  try {
    yield* member.content();
  } catch (error) {
    throw asArchiveError(error);
  }
}

async function close(stream: Readable): Promise<void> {
  if (!stream.closed) {
    const closed = new Promise((resolve) => stream.once("close", resolve));
    stream.destroy();
    await closed;
  }
}
