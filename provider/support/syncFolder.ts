import { open } from "node:fs/promises";

/** So that a new name in a folder outlives a power cut; where a folder cannot be opened or synced, as on Windows, it has to do without. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r").catch(() => undefined);
  try {
    await handle?.sync().catch(() => {});
  } finally {
    await handle?.close();
  }
}
