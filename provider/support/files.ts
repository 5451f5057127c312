import { rmdirSync, unlinkSync } from "node:fs";
import { open } from "node:fs/promises";

const paths = new Set<string>();

/**
 * Removes a file or an empty folder at the exit of the process, unless `release` is called before. A process may end
 * before its own clean-up, for example when its engine is gone.
 */
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
    } catch {
      // The path is of the other kind, or it is gone.
    }
  }
}

/**
 * Syncs a folder, so that a new name in it survives a power cut. Ignores a folder that cannot be synced, as on Windows.
 */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r").catch(() => undefined);
  try {
    await handle?.sync().catch(() => {});
  } finally {
    await handle?.close();
  }
}
