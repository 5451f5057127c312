import { randomBytes } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { join } from "node:path";
import { journal as journalSetting } from "../settings/settingTable";
import { explainFileFault } from "../storage/file/error";
import { readText, singleChunk } from "../storage/textFile";
import { lstat, open, readdir, rename, unlink } from "../support/fileSystem";
import { fsyncFolder, makeFolder, writeNewFile } from "../support/files";
import { isEntryName, type Journal, journalEntryByteLimit, UnusableJournalError } from "./journal";

const { O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY } = constants;

/** `list` returns the names without a check. `read` refuses an entry that another user may have written. */
export class FolderJournal implements Journal {
  readonly isRemote = false;

  constructor(readonly place: string) {}

  isNew(): Promise<boolean> {
    return explainFaultsOf(async () => !(await this.#isThere()));
  }

  list(prefix: string): Promise<string[]> {
    return explainFaultsOf(async () => {
      const files = (await readdir(this.place).catch(undefinedIfMissing)) ?? [];
      const names = files.filter((file) => file.endsWith(".json")).map((file) => file.slice(0, -".json".length));
      return names.filter((name) => isEntryName(name) && name.startsWith(prefix));
    });
  }

  /** @throws if the entry is not a small private file of this user. */
  read(name: string): Promise<string | undefined> {
    return explainFaultsOf(async () => {
      if (!(await this.#isThere())) {
        return undefined;
      }
      const handle = await open(this.#file(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(undefinedIfMissing);
      try {
        const status = await handle?.stat();
        if (status && (!status.isFile() || !isOwn(status) || status.size > journalEntryByteLimit)) {
          throw new Error(`it must be a file of this user, and have at most ${journalEntryByteLimit} bytes`);
        }
        if (status && !isPrivate(status)) {
          throw this.#isOpen("it", status);
        }
        return handle && (await readText(handle.content(), journalEntryByteLimit));
      } finally {
        await handle?.close();
      }
    });
  }

  write(name: string, text: string): Promise<void> {
    return explainFaultsOf(async () => {
      await makeFolder(this.place, 0o700);
      await this.#isThere();
      const whole = join(this.place, `${name}.${randomBytes(6).toString("hex")}`);
      try {
        await writeNewFile(whole, singleChunk(Buffer.from(text)), 0o600);
        await rename(whole, this.#file(name));
      } catch (error) {
        await unlink(whole).catch(() => {});
        throw error;
      }
      await fsyncFolder(this.place);
    });
  }

  remove(name: string): Promise<void> {
    return explainFaultsOf(async () => {
      const file = this.#file(name);
      // A link or a folder with this name does not belong to the journal, so it stays.
      if ((await this.#isThere()) && (await lstat(file).catch(undefinedIfMissing))?.isFile()) {
        await unlink(file);
      }
    });
  }

  #file(name: string): string {
    return join(this.place, `${name}.json`);
  }

  /** @throws if the place is no folder, or if another user may use the folder. */
  async #isThere(): Promise<boolean> {
    const folder = await lstat(this.place).catch(undefinedIfMissing);
    if (folder !== undefined && !folder.isDirectory()) {
      throw new Error("it is a link or a file, not a folder");
    }
    if (folder !== undefined && !isOwn(folder)) {
      throw new Error("the folder belongs to another user");
    }
    if (folder !== undefined && !isPrivate(folder)) {
      throw this.#isOpen("the folder", folder);
    }
    return folder !== undefined;
  }

  #isOpen(what: string, { mode }: Stats): UnusableJournalError {
    const mount =
      (mode & 0o070) === 0
        ? ""
        : " If a volume of Kubernetes widens it at each mount (`fsGroup`), set `fsGroupChangePolicy: OnRootMismatch`.";
    return new UnusableJournalError(
      `other users can access ${what} (mode ${(mode & 0o777).toString(8)})`,
      `run \`chmod -R go= ${this.place}\`.${mount}`,
    );
  }
}

/** @throws UnusableJournalError instead of an error of the file system. */
async function explainFaultsOf<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const fault = explainFileFault(error, `set it in ${journalSetting.variable}`);
    throw fault === undefined ? error : new UnusableJournalError(fault.why, `${fault.remedy}.`);
  }
}

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") {
    throw error;
  }
}

/** On Windows, it always returns true, because files have no modes there. */
function isPrivate(status: Stats): boolean {
  return isOwn(status) && (process.getuid === undefined || (status.mode & 0o077) === 0);
}

function isOwn({ uid }: Stats): boolean {
  return process.getuid === undefined || uid === process.getuid();
}
