import { randomBytes } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readdir, rename, unlink } from "node:fs/promises";
import { join } from "node:path";
import { syncFolder } from "../support/syncFolder";
import { type Entry, isEntryName, isTooOld, type Journal, largestEntry, readEntry, writeEntry } from "./journal";

const { O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_RDONLY, O_WRONLY } = constants;

/** A journal in a folder that only its owner can use, with a file for each entry. */
export class FolderJournal implements Journal {
  readonly isRemote = false;
  #isSwept = false;

  constructor(readonly place: string) {}

  async add(name: string, entry: Entry): Promise<Entry | undefined> {
    await this.#make();
    await this.#sweep();
    const earlier = await this.find(name);
    if (earlier !== undefined) {
      return earlier;
    }
    // An entry that cannot be read is replaced: each entry is written whole before its request is sent, so this one was not sent.
    await this.remove(name);
    await this.#write(this.#file(name), entry);
    await syncFolder(this.place);
    return undefined;
  }

  async replace(name: string, entry: Entry): Promise<void> {
    await this.#make();
    const whole = join(this.place, `${name}.${randomBytes(6).toString("hex")}`);
    await this.#write(whole, entry);
    await rename(whole, this.#file(name));
    await syncFolder(this.place);
  }

  async find(name: string): Promise<Entry | undefined> {
    const entry = (await this.#isOurs()) ? await read(this.#file(name)) : undefined;
    return entry === undefined || isTooOld(entry, Date.now()) ? undefined : entry;
  }

  async remove(name: string): Promise<void> {
    const file = this.#file(name);
    const found = await lstat(file).catch(() => undefined);
    // A link or a folder in its place is not ours.
    if (found?.isFile()) {
      await unlink(file);
    }
  }

  #file(name: string): string {
    return join(this.place, `${name}.json`);
  }

  async #make(): Promise<void> {
    await mkdir(this.place, { recursive: true, mode: 0o700 });
    if (!(await this.#isOurs())) {
      throw new Error("the folder is a link, or others may use it");
    }
  }

  async #isOurs(): Promise<boolean> {
    try {
      const folder = await lstat(this.place);
      return folder.isDirectory() && isPrivate(folder);
    } catch {
      return false;
    }
  }

  async #write(file: string, entry: Entry): Promise<void> {
    const handle = await open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    try {
      await handle.writeFile(writeEntry(entry));
      await handle.sync();
    } finally {
      await handle.close();
    }
  }

  /** Removes entries that are too old, once in each process: nobody asks for those of deleted stacks any more. */
  async #sweep(): Promise<void> {
    if (this.#isSwept) {
      return;
    }
    this.#isSwept = true;
    for (const name of (await readdir(this.place)).filter(isOwnName)) {
      const file = join(this.place, name);
      const entry = await read(file);
      // The folder may hold anything else: only what reads as an entry is ours to remove.
      if (entry !== undefined && isTooOld(entry, Date.now())) {
        await unlink(file).catch(() => {});
      }
    }
  }
}

/** Whether a file is called like an entry, or like one that was about to be written. */
function isOwnName(file: string): boolean {
  const [, name, ending] = /^(.*)\.(json|[0-9a-f]{12})$/.exec(file) ?? [];
  return ending !== undefined && isEntryName(name);
}

async function read(file: string): Promise<Entry | undefined> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, O_RDONLY | O_NOFOLLOW);
    const status = await handle.stat();
    return status.isFile() && isPrivate(status) && status.size <= largestEntry
      ? readEntry(await handle.readFile("utf8"))
      : undefined;
  } catch {
    return undefined;
  } finally {
    await handle?.close();
  }
}

/** True where the file belongs to this user and nobody else may use it. On Windows, which has no such users, it is always true. */
function isPrivate({ uid, mode }: Stats): boolean {
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o077) === 0);
}
