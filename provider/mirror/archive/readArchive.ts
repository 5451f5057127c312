import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { Readable } from "node:stream";
import { interruptionError } from "../../support/abort";
import { archiveError, asArchiveError, quoteForMessage } from "./archiveError";
import { DuplicatePathCheck } from "./duplicatePathCheck";
import { entryPath } from "./entryPath";
import type { ArchiveFormat, CheckedArchiveEntry } from "./format";
import { defaultUnpackLimits, UnpackBudget, type UnpackLimits } from "./limits";
import { tarMembers } from "./tar";
import { zipMembers } from "./zip";

export interface ArchiveEntry {
  /** Relative, with `/`, without `.`, `..` and empty segments. A single folder around all files is part of the path. */
  path: string;
  sizeBytes: number;
  /** Before you request the next entry, either read the content to its end, or do not read it at all. */
  content: AsyncGenerator<Buffer>;
}

export interface ArchivedFileDigest {
  path: string;
  sizeBytes: number;
  sha256: string;
}

const never = new AbortController().signal;

/**
 * Yields the regular files in the archive's order, one at a time and in constant memory. Folders are skipped. A damaged
 * part is found only when it is read, so publish nothing before `checkArchiveAndListDigests` has succeeded.
 * @throws ArchiveError, also from an entry's content, if the archive is damaged, incomplete, or larger than the limits,
 * or if an entry could write outside of the target folder or over another entry.
 * @throws the error of `interruptionError` after the signal aborts.
 */
export async function* readArchive(
  file: string,
  format: ArchiveFormat,
  limits: UnpackLimits = defaultUnpackLimits,
  signal: AbortSignal = never,
): AsyncGenerator<ArchiveEntry, void> {
  const budget = new UnpackBudget(limits, (await stat(file)).size);
  const unique = new DuplicatePathCheck();
  try {
    const members = format === "zip" ? zipMembers(file, budget) : tarMembers(openFile(file, signal), format, budget);
    for await (const member of members) {
      signal.throwIfAborted();
      budget.addEntry();
      const path = acceptedPath(member, limits, unique);
      if (member.kind === "file") {
        const content = contentOf(member, signal);
        try {
          yield { path, sizeBytes: member.sizeBytes, content };
        } finally {
          await content.return(undefined);
        }
      }
    }
  } catch (error) {
    throw signal.aborted ? interruptionError(signal) : asArchiveError(error);
  }
}

function openFile(file: string, signal: AbortSignal): Readable {
  const packed = createReadStream(file, { highWaterMark: 256 * 1024, signal });
  // The signal may abort before the reader listens. Without this listener, the error would then end the process.
  packed.on("error", () => {});
  return packed;
}

interface VerifyOptions {
  limits?: UnpackLimits;
  signal?: AbortSignal;
  /** Gets the content of each file during the check, and must return the content unchanged. */
  observe?: (path: string, content: AsyncIterable<Buffer>) => AsyncIterable<Buffer>;
}

/**
 * Reads a whole archive once and makes every check, including those that need the last byte. If nobody changes the
 * archive, `readArchive` then yields the same files without an error.
 * @returns the files in the archive's order.
 * @throws ArchiveError as `readArchive` does.
 */
export async function checkArchiveAndListDigests(
  file: string,
  format: ArchiveFormat,
  { limits, signal, observe = (_, unchanged) => unchanged }: VerifyOptions = {},
): Promise<ArchivedFileDigest[]> {
  const files: ArchivedFileDigest[] = [];
  for await (const { path, content } of readArchive(file, format, limits, signal)) {
    const hash = createHash("sha256");
    let sizeBytes = 0;
    for await (const chunk of observe(path, content)) {
      hash.update(chunk);
      sizeBytes += chunk.length;
    }
    files.push({ path, sizeBytes, sha256: hash.digest("hex") });
  }
  return files;
}

function acceptedPath(
  { name, kind, sizeBytes }: CheckedArchiveEntry,
  limits: UnpackLimits,
  unique: DuplicatePathCheck,
): string {
  const path = entryPath(name, limits);
  if (!Number.isSafeInteger(sizeBytes) || sizeBytes < 0) {
    throw archiveError(`the archive's entry ${quoteForMessage(name)} has an invalid size`);
  }
  if (kind === "folder") {
    unique.addFolder(path);
  } else if (path === "") {
    throw archiveError(`the archive's entry ${quoteForMessage(name)} has no name`);
  } else {
    unique.addFile(path);
  }
  if (sizeBytes > limits.bytes) {
    throw archiveError(`the archive's entry ${quoteForMessage(name)} has more than ${limits.bytes} bytes`);
  }
  return path;
}

async function* contentOf(member: CheckedArchiveEntry, signal: AbortSignal): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of member.content()) {
      signal.throwIfAborted();
      yield chunk;
    }
  } catch (error) {
    throw signal.aborted ? interruptionError(signal) : asArchiveError(error);
  }
}
