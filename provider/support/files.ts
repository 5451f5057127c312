import { rmdirSync, unlinkSync } from "node:fs";
import { dirname } from "node:path";
import { mkdir, open, stat } from "./fileSystem";

const paths = new Set<string>();

/** Removes a file or an empty folder when the process exits, unless `release` was called before. */
export function removeAtExit(path: string): { release(): void } {
  if (paths.size === 0) {
    process.once("exit", removeAll);
  }
  paths.add(path);
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
  for (const path of paths) {
    remove(path);
  }
}

function remove(path: string): void {
  for (const removeSync of [unlinkSync, rmdirSync]) {
    try {
      removeSync(path);
      return;
    } catch {}
  }
}

/**
 * Writes a new file, and waits until the disk has its content.
 * @throws the system's error if the name already exists, even as a symbolic link.
 */
export async function writeNew(file: string, content: AsyncIterable<Buffer>, mode?: number): Promise<void> {
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

/**
 * Syncs a folder, so that a new name in it survives a power failure. On Windows it has no effect, because Windows
 * cannot sync folders.
 */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r").catch(() => undefined);
  try {
    await handle?.sync().catch(() => {});
  } finally {
    await handle?.close();
  }
}

/**
 * Makes a folder and the missing folders above it. The function of Node.js is not used, because it reports a read-only
 * file system as a missing folder.
 * @throws the system's error for the folder that cannot be made.
 */
export async function makeFolder(folder: string, mode = 0o777): Promise<void> {
  try {
    await makeOneFolder(folder, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || dirname(folder) === folder) {
      throw error;
    }
    await makeFolder(dirname(folder), mode);
    // There is no third attempt. In some folders, such as /proc of Linux, mkdir fails with ENOENT although the parent
    // exists, so the attempts would never end.
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
