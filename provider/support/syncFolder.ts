import { open } from "node:fs/promises";

/** Syncs a folder, so that a new name in it survives a power cut. A folder that cannot be synced, as on Windows, is left as it is. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r").catch(() => undefined);
  try {
    await handle?.sync().catch(() => {});
  } finally {
    await handle?.close();
  }
}
