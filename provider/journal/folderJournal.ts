import { randomBytes } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { lstat, mkdir, open, readdir, rename, unlink } from "node:fs/promises";
import { join } from "node:path";
import { syncFolder } from "../support/files";
import { isEntryName, isTooOld, type Journal, JournalPlaceError, largestEntry, readEntry } from "./journal";

const { O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_RDONLY, O_WRONLY } = constants;

/** A journal in a folder that only its owner can use, with a file for each entry. The folder may hold other things. */
export class FolderJournal implements Journal {
  readonly isRemote = false;
  #isSwept = false;

  constructor(readonly place: string) {}

  async list(prefix: string): Promise<string[]> {
    if (!(await this.#isThere())) {
      return [];
    }
    return (await readdir(this.place)).map(entryIn).filter((name) => name?.startsWith(prefix)) as string[];
  }

  async read(name: string): Promise<string | undefined> {
    return (await this.#isThere()) ? readPrivate(this.#file(name)) : undefined;
  }

  async write(name: string, text: string): Promise<void> {
    await mkdir(this.place, { recursive: true, mode: 0o700 });
    await this.#isThere();
    await this.#sweep();
    const whole = join(this.place, `${name}.${randomBytes(6).toString("hex")}`);
    const handle = await open(whole, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(whole, this.#file(name));
    await syncFolder(this.place);
  }

  async remove(name: string): Promise<void> {
    const file = this.#file(name);
    // A link or a folder with this name does not belong to the journal, and stays.
    if ((await this.#isThere()) && (await lstat(file).catch(() => undefined))?.isFile()) {
      await unlink(file);
    }
  }

  #file(name: string): string {
    return join(this.place, `${name}.json`);
  }

  /** @throws if the folder exists, and others may use it. */
  async #isThere(): Promise<boolean> {
    const folder = await lstat(this.place).catch(undefinedIfMissing);
    if (folder !== undefined && !folder.isDirectory()) {
      throw new Error("it is a link or a file, not a folder");
    }
    if (folder !== undefined && !isOwn(folder)) {
      throw new Error("the folder belongs to another user");
    }
    if (folder !== undefined && !isPrivate(folder)) {
      const mode = (folder.mode & 0o777).toString(8);
      throw new JournalPlaceError(
        `other users can access the folder (mode ${mode})`,
        `run \`chmod 700 ${this.place}\`.`,
      );
    }
    return folder !== undefined;
  }

  /** Removes entries that are too old, once in each process: nobody asks any more for the entries of deleted stacks. */
  async #sweep(): Promise<void> {
    if (this.#isSwept) {
      return;
    }
    this.#isSwept = true;
    for (const file of (await readdir(this.place)).filter(isOwnName)) {
      const path = join(this.place, file);
      const text = await readPrivate(path).catch(() => undefined);
      const entry = text === undefined ? undefined : readEntry(text);
      // Only a file that contains an entry belongs to the journal.
      if (entry !== undefined && isTooOld(entry, Date.now())) {
        await unlink(path).catch(() => {});
      }
    }
  }
}

/** Returns the name of the entry in a file; undefined for every other file. */
function entryIn(file: string): string | undefined {
  const name = file.endsWith(".json") ? file.slice(0, -".json".length) : undefined;
  return isEntryName(name) ? name : undefined;
}

/** Returns true if a file is named like an entry, or like an entry that was about to be written. */
function isOwnName(file: string): boolean {
  return entryIn(file) !== undefined || (/\.[0-9a-f]{12}$/.test(file) && isEntryName(file.slice(0, -13)));
}

/** @throws if the file is not a small private file of this user. */
async function readPrivate(file: string): Promise<string | undefined> {
  const handle = await open(file, O_RDONLY | O_NOFOLLOW).catch(undefinedIfMissing);
  try {
    const status = await handle?.stat();
    if (status && !(status.isFile() && isPrivate(status) && status.size <= largestEntry)) {
      throw new Error(
        `${file} must be a file of mode 0600 that belongs to this user and has at most ${largestEntry} bytes`,
      );
    }
    return await handle?.readFile("utf8");
  } finally {
    await handle?.close();
  }
}

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") {
    throw error;
  }
}

/**
 * Returns true if the file belongs to this user and nobody else may use it. On Windows, which has no such users, this
 * is always true.
 */
function isPrivate(status: Stats): boolean {
  return isOwn(status) && (process.getuid === undefined || (status.mode & 0o077) === 0);
}

function isOwn({ uid }: Stats): boolean {
  return process.getuid === undefined || uid === process.getuid();
}
