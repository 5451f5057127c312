import { once } from "node:events";
import { PassThrough } from "node:stream";
import { ArchiveError } from "../../support/errors";
import type { ArchiveFormat } from "./format";
import { defaultLimits, UnpackBudget } from "./limits";
import { tarMembers } from "./tar";

/** Looks for the first file of an archive while the archive's bytes pass through. */
interface FileSearch {
  add(chunk: Buffer): Promise<void>;
  /** Returns true if the archive has a file. Call it after the last chunk. */
  hasFile(): Promise<boolean>;
  /** Ends the search. It is always called, also if the transfer stops before its last chunk. */
  close(): void;
}

/**
 * Passes an archive's bytes on, and unpacks them only until a file is found. In most archives the first file is near
 * the beginning.
 * @throws ArchiveError after the last chunk if the archive has only folders. If the search cannot list the archive,
 * there is no error: the reader that unpacks the archive will find the fault.
 */
export async function* requireNonEmptyArchive(
  chunks: AsyncIterable<Buffer>,
  format: ArchiveFormat,
): AsyncGenerator<Buffer> {
  const search: FileSearch = format === "zip" ? new ZipSearch() : new TarSearch(format);
  try {
    for await (const chunk of chunks) {
      await search.add(chunk);
      yield chunk;
    }
    if (!(await search.hasFile())) {
      // Every layout refuses an archive without files, so the remedy does not recommend another layout.
      throw new ArchiveError({
        happened: "the archive has no file",
        remedy: "start a new export. If its archive has no file either, tell the operator of the platform.",
      });
    }
  } finally {
    search.close();
  }
}

class TarSearch implements FileSearch {
  readonly #packed = new PassThrough();
  readonly #found: Promise<boolean>;
  #isOver = false;

  constructor(format: Exclude<ArchiveFormat, "zip">) {
    this.#packed.on("error", () => {});
    this.#found = this.#search(format)
      .catch(() => true)
      .finally(() => {
        this.#isOver = true;
        this.close();
      });
  }

  async #search(format: Exclude<ArchiveFormat, "zip">): Promise<boolean> {
    // The size of the archive is still unknown. So the search unpacks at most what the limits allow for a small
    // archive.
    const budget = new UnpackBudget(defaultLimits, 0);
    for await (const { kind } of tarMembers(this.#packed, format, budget)) {
      budget.addEntry();
      if (kind === "file") {
        return true;
      }
    }
    return false;
  }

  async add(chunk: Buffer): Promise<void> {
    if (!this.#isOver && !this.#packed.write(chunk)) {
      // If the archive has a fault, the search ends, and this wait ends too. The transfer continues, because the
      // transfer itself has no fault.
      await Promise.race([once(this.#packed, "drain").catch(() => {}), this.#found]);
    }
  }

  hasFile(): Promise<boolean> {
    this.#packed.end();
    return this.#found;
  }

  close(): void {
    this.#packed.destroy();
  }
}

const zipHeader = { mark: Buffer.from("PK\x03\x04"), bytes: 30, nameLengthAt: 26 };
const slash = "/".charCodeAt(0);

/**
 * Searches a zip for a file without unpacking the zip. A zip repeats each entry's name before the entry's content. The
 * search skips folders, whose names end with a slash.
 */
class ZipSearch implements FileSearch {
  #unread = Buffer.alloc(0);
  #found = false;

  async add(chunk: Buffer): Promise<void> {
    if (this.#found) {
      return;
    }
    const bytes = Buffer.concat([this.#unread, chunk]);
    let at = bytes.indexOf(zipHeader.mark);
    while (at >= 0) {
      const name = at + zipHeader.bytes;
      const end = name + (name <= bytes.length ? bytes.readUInt16LE(at + zipHeader.nameLengthAt) : 0);
      if (name > bytes.length || end > bytes.length) {
        this.#unread = bytes.subarray(at);
        return;
      }
      this.#found ||= bytes[end - 1] !== slash;
      at = this.#found ? -1 : bytes.indexOf(zipHeader.mark, end);
    }
    this.#unread = bytes.subarray(Math.max(0, bytes.length - zipHeader.mark.length + 1));
  }

  async hasFile(): Promise<boolean> {
    return this.#found;
  }

  close(): void {}
}
