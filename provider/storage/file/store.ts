import { createHash, randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, mkdir, open, readdir, rename, rm, rmdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { pathToFileURL } from "node:url";
import { stopError } from "../../support/abort";
import { removeAtExit, syncFolder } from "../../support/files";
import { Attempts } from "../attempt";
import type { ObjectInfo, PutOptions, Store } from "../store";
import { readText } from "../textFile";
import type { FileDestination } from "./destination";
import { explainFileFault } from "./error";
import { writeContent } from "./writer";

/**
 * The name of an incomplete file. The file is in the destination, since a rename within one file system needs no copy.
 */
const partialName = /^\.mirror-[0-9a-f]{16}\.partial$/;

/** The time without a write after which a partial file counts as left by a killed run, in milliseconds. */
const abandonedAfter = 3_600_000;

/** A store in a folder of this machine, or in a folder that several machines share. */
export class FileStore implements Store {
  readonly #folder: string;
  #cleanup: Promise<void> | undefined;
  readonly #untilExit = new Map<string, { release(): void }>();

  readonly #signal: AbortSignal;
  readonly #attempts: Attempts;

  /** @param signal stops every operation that has no signal of its own. */
  constructor({ folder }: FileDestination, signal: AbortSignal) {
    this.#folder = folder;
    this.#signal = signal;
    const explain = (error: unknown) => explainFileFault(error, "set it in destination");
    this.#attempts = new Attempts({ place: `the folder ${folder}`, explain, signal });
  }

  put(name: string, content: AsyncIterable<Buffer>, { signal, untilExit = false }: PutOptions): Promise<ObjectInfo> {
    return this.#attempts.write(content, signal, async (observed) => {
      const target = await this.#safePath(name);
      await mkdir(dirname(target), { recursive: true });
      this.#cleanup ??= this.#removeAbandoned();
      await this.#cleanup;
      const partial = join(this.#folder, `.mirror-${randomBytes(8).toString("hex")}.partial`);
      const removal = removeAtExit(partial);
      try {
        await writeFile(partial, observed);
        if (signal.aborted) {
          throw stopError(signal);
        }
        if (untilExit) {
          this.#untilExit.set(name, this.#untilExit.get(name) ?? removeAtExit(target));
        }
        await rename(partial, target);
      } finally {
        await rm(partial, { force: true });
        removal.release();
      }
      await syncFolder(dirname(target));
      return fileInfo(target);
    });
  }

  stat(names: readonly string[]): Promise<Map<string, ObjectInfo>> {
    return this.#attempts.run(async () => {
      const found = new Map<string, ObjectInfo>();
      for (const name of names) {
        const there = await undefinedIfMissing(this.#safePath(name).then(fileInfo));
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
      await pipeline(this.content(name), hash, { signal: this.#signal });
      return hash.digest("hex");
    });
  }

  read(name: string, maxBytes: number): Promise<string | undefined> {
    return this.#attempts.run(() => undefinedIfMissing(this.#read(name, maxBytes)));
  }

  content(name: string): AsyncGenerator<Buffer> {
    return this.#attempts.read(this.#content(name));
  }

  list(begin = ""): AsyncGenerator<string> {
    return this.#attempts.read(filesBelow(this.#folder, "", begin));
  }

  remove(names: readonly string[]): Promise<void> {
    return this.#attempts.run(async () => {
      for (const name of names) {
        const path = await undefinedIfMissing(this.#safePath(name));
        if (path !== undefined && (await undefinedIfMissing(fileInfo(path)))) {
          await undefinedIfMissing(rm(path));
        }
        this.#untilExit.get(name)?.release();
        this.#untilExit.delete(name);
      }
      await this.#removeEmptyFolders(names);
    });
  }

  address(name: string): string {
    return name === "" ? pathToFileURL(`${this.#folder}/`).href : pathToFileURL(this.#path(name)).href;
  }

  close(): void {}

  /** Removes the partial files of killed runs. */
  async #removeAbandoned(): Promise<void> {
    for (const name of await readdir(this.#folder)) {
      const file = join(this.#folder, name);
      const info = partialName.test(name) ? await undefinedIfMissing(stat(file)) : undefined;
      if (info && Date.now() - info.mtimeMs > abandonedAfter) {
        await rm(file, { force: true });
      }
    }
  }

  /**
   * Removes the folders of these names below the destination, the innermost first. A folder with other content stays.
   */
  async #removeEmptyFolders(names: readonly string[]): Promise<void> {
    const folders = new Set<string>();
    for (const name of names) {
      for (let folder = dirname(name); folder !== "."; folder = dirname(folder)) {
        folders.add(folder);
      }
    }
    for (const folder of [...folders].sort((a, b) => b.length - a.length)) {
      await this.#safePath(folder)
        .then(rmdir)
        .catch(() => {});
    }
  }

  async *#content(name: string): AsyncGenerator<Buffer> {
    yield* createReadStream(await this.#safePath(name), { highWaterMark: 1024 ** 2 });
  }

  async #read(name: string, maxBytes: number): Promise<string> {
    const path = await this.#safePath(name);
    const { sizeBytes } = await fileInfo(path);
    return sizeBytes > maxBytes ? "" : readText(createReadStream(path), maxBytes);
  }

  /**
   * Returns the path of a name. Fails if a folder in the path is a symbolic link, which could lead out of the
   * destination.
   */
  async #safePath(name: string): Promise<string> {
    for (let end = name.indexOf("/"); end > 0; end = name.indexOf("/", end + 1)) {
      const info = await undefinedIfMissing(lstat(this.#path(name.slice(0, end))));
      if (info?.isSymbolicLink()) {
        throw Object.assign(new Error("a link"), { code: "ELOOP", syscall: "lstat" });
      }
    }
    return this.#path(name);
  }

  #path(name: string): string {
    return join(this.#folder, ...name.split("/"));
  }
}

/** Yields everything except folders whose path begins like this, by its path with `/`. Links are not followed. */
async function* filesBelow(folder: string, prefix: string, begin: string): AsyncGenerator<string> {
  for (const entry of (await undefinedIfMissing(readdir(folder, { withFileTypes: true }))) ?? []) {
    const path = prefix + entry.name;
    if (entry.isDirectory()) {
      if (path.startsWith(begin) || begin.startsWith(`${path}/`)) {
        yield* filesBelow(join(folder, entry.name), `${path}/`, begin);
      }
    } else if (path.startsWith(begin) && (prefix !== "" || !partialName.test(entry.name))) {
      yield path;
    }
  }
}

async function writeFile(file: string, content: AsyncIterable<Buffer>): Promise<void> {
  const handle = await open(file, "wx");
  try {
    await writeContent(handle, content);
  } finally {
    await handle.close();
  }
}

async function fileInfo(file: string): Promise<ObjectInfo> {
  const info = await lstat(file, { bigint: true });
  if (!info.isFile()) {
    throw Object.assign(new Error("not a file"), { code: "EISDIR" });
  }
  // A writer can restore a file's modification time, but not its change time (ctime).
  return { sizeBytes: Number(info.size), revision: String(info.ctimeNs) };
}

/** The error codes for a missing file: nothing has the name, a parent is a file or a link, or the name is a folder. */
const missingCodes: ReadonlySet<unknown> = new Set(["ENOENT", "ENOTDIR", "EISDIR", "ERR_FS_EISDIR", "ELOOP"]);

async function undefinedIfMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && "code" in error && missingCodes.has(error.code)) {
      return undefined;
    }
    throw error;
  }
}
