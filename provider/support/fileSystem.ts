import type { Dirent, Stats } from "node:fs";
import system, { type FileHandle } from "node:fs/promises";
import { timeLimits } from "./time/timeLimits";

/*
 * The calls of the file system, each with a time limit. Without a time limit, a call to a network drive that does not
 * answer would never return. Each blocked call occupies one of the four threads that Node.js uses for such calls, even
 * after its time limit. So until the blocked call returns, further calls at the same path fail at once.
 */

/**
 * The paths with calls that have not returned within their time limit, and the number of these calls. Until these calls
 * return, each further call at such a path fails at once.
 */
const hanging = new Map<string, number>();

/**
 * @throws an error with the code ETIMEDOUT if the call does not return within its time limit. The call itself
 * continues. If the call later returns an open file or folder, this function closes that file or folder.
 */
async function limited<T>(syscall: string, path: string, call: () => Promise<T>, limit: number): Promise<T> {
  const late = () =>
    Object.assign(new Error(`the file system did not answer at ${path}`), { code: "ETIMEDOUT", syscall });
  if (hanging.has(path)) {
    throw late();
  }
  const { promise, reject } = Promise.withResolvers<never>();
  const work = call();
  const timer = setTimeout(() => {
    noteHanging(path, 1);
    const returned = () => noteHanging(path, -1);
    work.then(closeUnused).then(returned, returned);
    reject(late());
  }, limit);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

function noteHanging(path: string, change: 1 | -1): void {
  if (hanging.size === 0) {
    process.on("exit", endAnyway);
  }
  const count = (hanging.get(path) ?? 0) + change;
  if (count > 0) {
    hanging.set(path, count);
  } else {
    hanging.delete(path);
  }
  if (hanging.size === 0) {
    process.removeListener("exit", endAnyway);
  }
}

/** Ends the process although calls have not returned, because Node.js would wait for the threads of these calls. */
function endAnyway(): void {
  process.kill(process.pid, "SIGKILL");
}

async function closeUnused(result: unknown): Promise<void> {
  if (typeof Object(result).close === "function") {
    await Object(result).close();
  }
}

type Call = (path: string, ...more: never[]) => Promise<unknown>;
type Name = "lstat" | "mkdir" | "opendir" | "readdir" | "readFile" | "rename" | "rm" | "rmdir" | "stat" | "unlink";

function callNamed<N extends Name>(name: N): (typeof system)[N] {
  const call = (path: string, ...more: never[]) =>
    limited(name, path, () => (system[name] as Call)(path, ...more), timeLimits.fileCall);
  return call as unknown as (typeof system)[N];
}

export const lstat = callNamed("lstat");
export const mkdir = callNamed("mkdir");
export const readdir = callNamed("readdir");
export const readFile = callNamed("readFile");
export const rename = callNamed("rename");
export const rm = callNamed("rm");
export const rmdir = callNamed("rmdir");
export const stat = callNamed("stat");
export const unlink = callNamed("unlink");

const openFolder = callNamed("opendir");

export async function* entriesOfFolder(folder: string): AsyncGenerator<Dirent> {
  const entries = (await openFolder(folder))[Symbol.asyncIterator]();
  const call = <T>(next: () => Promise<T>) => limited("readdir", folder, next, timeLimits.fileCall);
  try {
    for (let next = await call(() => entries.next()); !next.done; next = await call(() => entries.next())) {
      yield next.value;
    }
  } finally {
    await call(async () => entries.return?.()).catch(() => {});
  }
}

export async function open(path: string, flags: string | number, mode?: number): Promise<OpenFile> {
  const opened = await limited("open", path, () => system.open(path, flags, mode), timeLimits.fileCall);
  return new OpenFile(path, opened);
}

export class OpenFile {
  constructor(
    private readonly path: string,
    private readonly handle: FileHandle,
  ) {}

  get fd(): number {
    return this.handle.fd;
  }

  stat(): Promise<Stats> {
    return limited("fstat", this.path, () => this.handle.stat(), timeLimits.fileCall);
  }

  /** Yields the content from its first byte, and closes the file at the end. */
  async *content(chunkBytes = 64 * 1024): AsyncGenerator<Buffer> {
    try {
      for (;;) {
        const buffer = Buffer.allocUnsafe(chunkBytes);
        const read = () => this.handle.read(buffer, 0, chunkBytes);
        const { bytesRead } = await limited("read", this.path, read, timeLimits.fileCall);
        if (bytesRead === 0) {
          return;
        }
        yield buffer.subarray(0, bytesRead);
      }
    } finally {
      await this.close();
    }
  }

  /** Appends bytes to the content of the file. */
  write(bytes: string | Buffer): Promise<void> {
    return limited("write", this.path, () => this.handle.writeFile(bytes), timeLimits.fileCall);
  }

  /** Writes the file's data from memory to the disk, which may take long. */
  sync(): Promise<void> {
    return limited("fsync", this.path, () => this.handle.sync(), timeLimits.fileFlush);
  }

  /** Closes the file. If its file system does not answer, the file is closed as soon as that is possible. */
  close(): Promise<void> {
    const closing = this.handle.close();
    closing.catch(() => {});
    return limited("close", this.path, () => closing, timeLimits.fileFlush);
  }
}
