import { type RmOptions, rmSync } from "node:fs";
import { dirname } from "node:path";
import { mkdir, open, stat } from "./fileSystem";

const paths = new Map<string, RmOptions>();

/** Set `recursive` only for a folder that no other user can replace. */
export function removeAtExit(path: string, options: Pick<RmOptions, "recursive"> = {}): { release(): void } {
  if (paths.size === 0) {
    process.once("exit", removeAll);
  }
  paths.set(path, options);
  return {
    release() {
      paths.delete(path);
      if (paths.size === 0) {
        process.removeListener("exit", removeAll);
      }
    },
  };
}

function removeAll(): void {
  for (const [path, options] of paths) {
    try {
      rmSync(path, { ...options, force: true });
    } catch {}
  }
}

/**
 * Waits until the disk has the content.
 * @throws the system's error if the name already exists, even as a symbolic link.
 */
export async function writeNewFile(file: string, content: AsyncIterable<Buffer>, mode?: number): Promise<void> {
  const handle = await open(file, "wx", mode);
  try {
    for await (const chunk of content) {
      await handle.write(chunk);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes a new name in the folder survive a power failure. Windows cannot sync folders, so nothing happens there. */
export async function fsyncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r").catch(() => undefined);
  try {
    await handle?.sync().catch(() => {});
  } finally {
    await handle?.close();
  }
}

/** Replaces the function of Node.js, which reports a read-only file system as a missing folder. */
export async function makeFolder(folder: string, mode = 0o777): Promise<void> {
  try {
    await makeOneFolder(folder, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || dirname(folder) === folder) {
      throw error;
    }
    await makeFolder(dirname(folder), mode);
    // No third attempt: in some folders, such as /proc, mkdir always fails with ENOENT.
    await makeOneFolder(folder, mode);
  }
}

async function makeOneFolder(folder: string, mode: number): Promise<void> {
  try {
    await mkdir(folder, { mode });
  } catch (error) {
    const there = await stat(folder).catch((fault: unknown) => {
      throw (error as NodeJS.ErrnoException).code === "EEXIST" ? fault : error;
    });
    if (!there.isDirectory()) {
      throw error;
    }
  }
}
