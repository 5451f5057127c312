import { homedir, platform } from "node:os";
import { isAbsolute, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { lock } from "proper-lockfile";
import { withProgress } from "./progress";

/** Returns the user's folder for downloads and builds of this project. The user can delete the folder at any time. */
export function cacheFolder(): string {
  const chosen = process.env.XDG_CACHE_HOME;
  const system = platform() === "darwin" ? join(homedir(), "Library", "Caches") : join(homedir(), ".cache");
  // By the XDG rules, a path that is not absolute is ignored.
  return join(chosen !== undefined && isAbsolute(chosen) ? chosen : system, "pulumi-docs-platform");
}

/** Runs `work` with the lock of the folder. If another process has the lock, this function prints a line and waits. */
export async function withLock<T>(folder: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const wait = async () => {
    for (;;) {
      await sleep(250, undefined, { signal });
      const release = await tryLock(folder);
      if (release !== undefined) {
        return release;
      }
    }
  };
  const release =
    (await tryLock(folder)) ?? (await withProgress("another process is getting a tool ready, waiting for it", wait));
  try {
    return await work();
  } finally {
    await release().catch(() => undefined);
  }
}

async function tryLock(folder: string): Promise<(() => Promise<void>) | undefined> {
  try {
    return await lock(folder, {
      lockfilePath: join(folder, "pulumi.lock"),
      realpath: false,
      // In milliseconds. If the lock is not renewed for this time, its owner was probably killed, and the lock is free.
      stale: 12_000,
      update: 3_000,
      // A suspended process may lose the lock. This is harmless, because each process makes a tool in its own folder.
      onCompromised: () => undefined,
    });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ELOCKED") {
      return undefined;
    }
    throw error;
  }
}
