import { createHash, randomBytes } from "node:crypto";
import { constants, type Dirent } from "node:fs";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { pathToFileURL } from "node:url";
import { interruptionError } from "../../support/abort";
import { lstat, type OpenFile, open, rename, rm, rmdir, unlink } from "../../support/fileSystem";
import { makeFolder, removeAtExit, writeNewFile } from "../../support/files";
import { StorageRetrier } from "../attempt";
import { ListingSizeLimiter } from "../listingSizeLimiter";
import type { FileOrObjectStore, ObjectInfo, PutObjectOptions } from "../store";
import { readText } from "../textFile";
import type { FileDestination } from "./destination";
import { addNeededDiskBytes, explainFileFault, NotAFileError, undefinedIfMissing } from "./error";
import { SymlinkSafeFolder } from "./symlinkSafeFolder";

const { O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY } = constants;

/** A rename works only within one file system. So incomplete files are in the destination's folder. */
const partialName = /^\.mirror-[0-9a-f]{16}\.partial$/;

/** An incomplete file that has not changed for this time, in milliseconds, is removed: a killed run has left it. */
const abandonedAfter = 3_600_000;

export class FileStore implements FileOrObjectStore {
  readonly #folder: string;
  #opened: Promise<SymlinkSafeFolder> | undefined;
  #cleanup: Promise<void> | undefined;

  readonly #attempts: StorageRetrier;

  constructor(
    { folder }: FileDestination,
    private readonly signal: AbortSignal,
  ) {
    this.#folder = folder;
    const explain = (error: unknown) => explainFileFault(error, "set it in destination");
    this.#attempts = new StorageRetrier({ place: `the folder ${folder}`, explain, signal });
  }

  /** @param name the name, or a function that returns it after the last byte of the content. */
  put(
    name: string | (() => string),
    content: AsyncIterable<Buffer>,
    { signal, expectedBytes = 0 }: PutObjectOptions,
  ): Promise<ObjectInfo> {
    return this.#attempts.write(
      () => content,
      signal,
      async (observed) => {
        const root = await this.#root(true);
        this.#cleanup ??= this.#removeAbandoned(root);
        await this.#cleanup;
        const partial = `.mirror-${randomBytes(8).toString("hex")}.partial`;
        const removal = removeAtExit(this.#path(partial));
        try {
          await writeNewFile(root.at(partial), observed);
          if (signal.aborted) {
            throw interruptionError(signal);
          }
          return await this.#within(typeof name === "string" ? name : name(), true, async (folder, target) => {
            await requireNoOther(folder.at(target));
            await rename(root.at(partial), folder.at(target));
            await folder.sync();
            return fileInfo(folder.at(target));
          });
        } catch (error) {
          // If this removal fails, a later run removes the file.
          await rm(root.at(partial), { force: true }).catch(() => {});
          throw addNeededDiskBytes(error, Math.max(expectedBytes, observed.bytes));
        } finally {
          removal.release();
        }
      },
    );
  }

  stat(names: readonly string[]): Promise<Map<string, ObjectInfo>> {
    return this.#attempts.run(async () => {
      const found = new Map<string, ObjectInfo>();
      for (const name of names) {
        const there = await undefinedIfMissing(this.#within(name, false, (folder, file) => fileInfo(folder.at(file))));
        if (there) {
          found.set(name, there);
        }
      }
      return found;
    });
  }

  sha256(name: string): Promise<string | undefined> {
    return this.#attempts.run(async () => {
      const hash = createHash("sha256");
      await pipeline(this.content(name), hash, { signal: this.signal });
      return hash.digest("hex");
    });
  }

  read(name: string, maxBytes: number): Promise<string | undefined> {
    const read = async () => {
      try {
        return await readText((await this.#open(name)).content(), maxBytes);
      } catch (error) {
        if (error instanceof NotAFileError) {
          return "";
        }
        throw error;
      }
    };
    return this.#attempts.run(() => undefinedIfMissing(read()));
  }

  async *content(name: string): AsyncGenerator<Buffer> {
    const file = await this.#attempts.run(() => this.#open(name));
    yield* this.#attempts.read(file.content(1024 ** 2));
  }

  async *list(): AsyncGenerator<string> {
    const root = await this.#attempts.run(() => undefinedIfMissing(this.#root(false)));
    if (root !== undefined) {
      yield* this.#attempts.read(filesBelow(root, "", this.#listing()));
    }
  }

  remove(names: readonly string[]): Promise<void> {
    return this.#attempts.run(async () => {
      for (const name of names) {
        await undefinedIfMissing(
          this.#within(name, false, async (folder, file) => {
            await fileInfo(folder.at(file));
            await unlink(folder.at(file));
          }),
        );
      }
      await this.#removeEmptyFolders(names);
    });
  }

  address(name: string): string {
    return name === "" ? pathToFileURL(`${this.#folder}/`).href : pathToFileURL(this.#path(name)).href;
  }

  close(): void {
    this.#opened?.then((root) => root.close()).catch(() => {});
  }

  /** Opens the destination's folder at the first call. Later calls return the same folder. */
  async #root(make: boolean): Promise<SymlinkSafeFolder> {
    if (this.#opened === undefined && make) {
      await makeFolder(this.#folder);
    }
    this.#opened ??= SymlinkSafeFolder.root(this.#folder);
    try {
      return await this.#opened;
    } catch (error) {
      this.#opened = undefined;
      throw error;
    }
  }

  #listing(): ListingSizeLimiter {
    return new ListingSizeLimiter(`the folder ${this.#folder}`);
  }

  async #removeAbandoned(root: SymlinkSafeFolder): Promise<void> {
    for await (const { name } of countedEntries(root, this.#listing())) {
      const info = partialName.test(name) ? await undefinedIfMissing(lstat(root.at(name))) : undefined;
      if (info && Date.now() - info.mtimeMs > abandonedAfter) {
        await rm(root.at(name), { force: true });
      }
    }
  }

  async #removeEmptyFolders(names: readonly string[]): Promise<void> {
    const folders = new Set<string>();
    for (const name of names) {
      for (let folder = dirname(name); folder !== "."; folder = dirname(folder)) {
        folders.add(folder);
      }
    }
    for (const folder of [...folders].sort((a, b) => b.length - a.length)) {
      await this.#within(folder, false, (parent, name) => rmdir(parent.at(name))).catch(() => {});
    }
  }

  #open(name: string): Promise<OpenFile> {
    return this.#within(name, false, async (folder, file) => {
      await fileInfo(folder.at(file));
      // A pipe may have replaced the file. Without O_NONBLOCK, `open` would wait until another process writes to it.
      const handle = await open(folder.at(file), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      try {
        if (!(await handle.stat()).isFile()) {
          throw new NotAFileError();
        }
        return handle;
      } catch (error) {
        await handle.close().catch(() => {});
        throw error;
      }
    });
  }

  /**
   * Calls `use` with the folder that contains a name. The folders of the name are opened one after another, so that
   * none of them can be a link.
   */
  async #within<T>(
    name: string,
    make: boolean,
    use: (folder: SymlinkSafeFolder, file: string) => Promise<T>,
  ): Promise<T> {
    const steps = name.split("/");
    let folder = await this.#root(make);
    const opened: SymlinkSafeFolder[] = [];
    try {
      for (const step of steps.slice(0, -1)) {
        folder = await folder.folder(step, make);
        opened.push(folder);
      }
      return await use(folder, steps.at(-1) ?? "");
    } finally {
      await Promise.all(opened.map((one) => one.close()));
    }
  }

  #path(name: string): string {
    return join(this.#folder, ...name.split("/"));
  }
}

async function* countedEntries(folder: SymlinkSafeFolder, budget: ListingSizeLimiter): AsyncGenerator<Dirent> {
  for await (const entry of folder.entries()) {
    budget.addName(entry.name);
    yield entry;
  }
}

/** Yields the paths of all files, links and devices, with `/` between the segments. Links are not followed. */
async function* filesBelow(
  folder: SymlinkSafeFolder,
  prefix: string,
  budget: ListingSizeLimiter,
): AsyncGenerator<string> {
  for await (const entry of countedEntries(folder, budget)) {
    const path = prefix + entry.name;
    const inner = entry.isDirectory() ? await undefinedIfMissing(folder.folder(entry.name, false)) : undefined;
    if (inner !== undefined) {
      try {
        yield* filesBelow(inner, `${path}/`, budget);
      } finally {
        await inner.close();
      }
    } else if (!entry.isDirectory() && (prefix !== "" || !partialName.test(entry.name))) {
      yield path;
    }
  }
}

async function fileInfo(file: string): Promise<ObjectInfo> {
  const info = await lstat(file, { bigint: true });
  if (!info.isFile()) {
    throw new NotAFileError();
  }
  // A program can reset a file's modification time, but not its ctime. Each write of a mirror creates a new inode.
  return { sizeBytes: Number(info.size), revision: `${info.ctimeNs}-${info.ino}` };
}

/** @throws NotAFileError for a folder, a link or a device. A mirror never creates or replaces these. */
async function requireNoOther(file: string): Promise<void> {
  const info = await undefinedIfMissing(lstat(file));
  if (info?.isFile() === false) {
    throw new NotAFileError();
  }
}
