import { rmdirSync, unlinkSync } from "node:fs";
import { mkdir, open, stat } from "node:fs/promises";
import { dirname } from "node:path";

const paths = new Set<string>();

/** Removes a file or an empty folder when the process exits, unless `release` is called before. */
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

/** Syncs a folder, so that a new name in it survives a power cut. Windows cannot do that. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r").catch(() => undefined);
  try {
    await handle?.sync().catch(() => {});
  } finally {
    await handle?.close();
  }
}

/**
 * Makes a folder and those above it. Node.js can do that, too, but tells a read-only file system as a missing folder.
 * @throws the error of the system for the folder that cannot be made.
 */
export async function makeFolder(folder: string, mode = 0o777): Promise<void> {
  try {
    await mkdir(folder, { mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" && dirname(folder) !== folder) {
      await makeFolder(dirname(folder), mode);
      await makeFolder(folder, mode);
    } else {
      const there = await stat(folder).catch((fault: unknown) => {
        throw code === "EEXIST" ? fault : error;
      });
      if (!there.isDirectory()) {
        throw error;
      }
    }
  }
}
