import { once } from "node:events";
import { PassThrough, type Readable } from "node:stream";
import { ArchiveError } from "../../support/errors";
import type { ArchiveFormat } from "./format";
import { defaultUnpackLimits, UnpackBudget } from "./limits";
import { tarMembers } from "./tar";

/**
 * Passes an archive's bytes on, and unpacks them only until a file is found.
 * @throws ArchiveError after the last chunk if the archive has only folders. A damaged archive causes no error here:
 * the reader that unpacks the archive finds the fault.
 */
export async function* requireNonEmptyArchive(
  chunks: AsyncIterable<Buffer>,
  format: ArchiveFormat,
): AsyncGenerator<Buffer> {
  const packed = new PassThrough().on("error", () => {});
  let isOver = false;
  const found = hasFile(packed, format)
    .catch(() => true)
    .finally(() => {
      isOver = true;
      packed.destroy();
    });
  try {
    for await (const chunk of chunks) {
      if (!isOver && !packed.write(chunk)) {
        // If the archive has a fault, the search ends, and this wait ends too. The transfer continues, because the
        // transfer itself has no fault.
        await Promise.race([once(packed, "drain").catch(() => {}), found]);
      }
      yield chunk;
    }
    packed.end();
    if (!(await found)) {
      // Every layout refuses an archive without files, so the remedy does not recommend another layout.
      throw new ArchiveError({
        happened: "the archive has no file",
        remedy: "start a new export. If its archive has no file either, tell the operator of the platform.",
      });
    }
  } finally {
    packed.destroy();
  }
}

async function hasFile(packed: Readable, format: ArchiveFormat): Promise<boolean> {
  if (format === "zip") {
    return hasFileInZip(packed);
  }
  // The size of the archive is still unknown. So the search unpacks at most what the limits allow for a small archive.
  const budget = new UnpackBudget(defaultUnpackLimits, 0);
  for await (const { kind } of tarMembers(packed, format, budget)) {
    budget.addEntry();
    if (kind === "file") {
      return true;
    }
  }
  return false;
}

const zipHeader = { mark: Buffer.from("PK\x03\x04"), bytes: 30, nameLengthAt: 26 };
const slash = "/".charCodeAt(0);

/**
 * Searches a zip for a file without unpacking the zip. A zip repeats each entry's name before the entry's content. The
 * search skips folders, whose names end with a slash.
 */
async function hasFileInZip(packed: AsyncIterable<Buffer>): Promise<boolean> {
  let unread = Buffer.alloc(0);
  for await (const chunk of packed) {
    const bytes = Buffer.concat([unread, chunk]);
    // A mark may begin in this chunk and end in the next one.
    let keptFrom = Math.max(0, bytes.length - zipHeader.mark.length + 1);
    for (let at = bytes.indexOf(zipHeader.mark); at >= 0; ) {
      const name = at + zipHeader.bytes;
      const end = name + (name <= bytes.length ? bytes.readUInt16LE(at + zipHeader.nameLengthAt) : 0);
      if (name > bytes.length || end > bytes.length) {
        keptFrom = at;
        break;
      }
      if (bytes[end - 1] !== slash) {
        return true;
      }
      at = bytes.indexOf(zipHeader.mark, end);
    }
    unread = bytes.subarray(keptFrom);
  }
  return false;
}
