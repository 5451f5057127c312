import type { Dirent, Stats } from "node:fs";
import system, { type FileHandle } from "node:fs/promises";
import { timeLimits } from "./time/timeLimits";

/*
 * A call to a silent network drive never returns, and blocks one of the four threads that Node.js uses for files. So
 * each call has a time limit, and further calls at the same path fail at once.
 */

/** The path of each call that has exceeded its time limit and has not returned. */
const hanging: string[] = [];

/**
 * @throws an error with the code ETIMEDOUT after the time limit. A file or folder that the call opens later is closed.
 */
async function limited<T>(syscall: string, path: string, call: () => Promise<T>, limit: number): Promise<T> {
  const late = () =>
    Object.assign(new Error(`the file system did not answer at ${path}`), { code: "ETIMEDOUT", syscall });
  if (hanging.includes(path)) {
    throw late();
  }
  const { promise, reject } = Promise.withResolvers<never>();
  const work = call();
  const timer = setTimeout(() => {
    if (hanging.push(path) === 1) {
      process.on("exit", endAnyway);
    }
    const returned = () => {
      hanging.splice(hanging.indexOf(path), 1);
      if (hanging.length === 0) {
        process.removeListener("exit", endAnyway);
      }
    };
    work.then(closeUnused).then(returned, returned);
    reject(late());
  }, limit);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Node.js would wait for the threads of calls that have not returned. */
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

  /** Closes the file at the end. */
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

  write(bytes: string | Buffer): Promise<void> {
    return limited("write", this.path, () => this.handle.writeFile(bytes), timeLimits.fileCall);
  }

  sync(): Promise<void> {
    return limited("fsync", this.path, () => this.handle.sync(), timeLimits.fileFlush);
  }

  /** If the file system does not answer, the file is closed as soon as that is possible. */
  close(): Promise<void> {
    const closing = this.handle.close();
    closing.catch(() => {});
    return limited("close", this.path, () => closing, timeLimits.fileFlush);
  }
}
