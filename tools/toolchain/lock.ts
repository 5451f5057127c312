import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { lock } from "proper-lockfile";
import { makeCacheFolder } from "./cacheFolder";
import { withProgress } from "./progress";

/** Another process took the lock over: this one was stopped for so long that it looked dead. */
export class LockLost extends Error {
  override readonly name = "LockLost";
}

/** A holder that gives no sign of life for this long is dead (killed), and its lock free. */
const stale = 12_000;
const signOfLife = 3_000;

/**
 * Runs `work` while this process alone, of all that share the folder, holds its lock. Waits, and says so, while
 * another holds it. The signal that `work` gets also aborts, with a LockLost, when the lock is taken over.
 */
export async function withLock<T>(
  folder: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const lost = new AbortController();
  const tryIt = () =>
    tryLock(folder, () => lost.abort(new LockLost(`another process took over the lock of ${folder}`)));
  const waiting = "another process is getting a tool ready, waiting for it";
  const release = (await tryIt()) ?? (await withProgress(waiting, 0, () => untilLocked(tryIt, signal)));
  try {
    return await work(AbortSignal.any([signal, lost.signal]));
  } finally {
    // A lock that was taken over is not ours to release.
    if (!lost.signal.aborted) {
      await release().catch(() => undefined);
    }
  }
}

type Release = () => Promise<void>;

async function untilLocked(tryIt: () => Promise<Release | undefined>, signal: AbortSignal): Promise<Release> {
  for (;;) {
    signal.throwIfAborted();
    const release = await tryIt();
    if (release !== undefined) {
      return release;
    }
    // An abort is thrown at the top of the loop, with its own reason.
    await sleep(250, undefined, { signal }).catch(() => undefined);
  }
}

async function tryLock(folder: string, onCompromised: () => void): Promise<Release | undefined> {
  // It may be deleted at any time, also while a process waits.
  await makeCacheFolder(folder);
  try {
    const lockfilePath = join(folder, "pulumi.lock");
    return await lock(folder, { lockfilePath, realpath: false, stale, update: signOfLife, onCompromised });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ELOCKED") {
      return undefined;
    }
    throw error;
  }
}
