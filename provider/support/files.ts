import { rmdirSync, unlinkSync } from "node:fs";
import { open } from "node:fs/promises";

const paths = new Set<string>();

/** Removes a file, or a folder that is empty by then, also where the process ends before its maker can, as it does when its engine is gone. */
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
      // It is the other one of the two, or gone.
    }
  }
}

/** Syncs a folder, so that a new name in it survives a power cut. A folder that cannot be synced, as on Windows, is left as it is. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r").catch(() => undefined);
  try {
    await handle?.sync().catch(() => {});
  } finally {
    await handle?.close();
  }
}
