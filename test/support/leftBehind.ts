import { setTimeout as sleep } from "node:timers/promises";

/** The longest time, in milliseconds, that a busy machine needs to close the resources of a test file. */
const longestClose = 10_000;

/**
 * Counts the resources that keep this process running, by kind: servers, sockets, child processes, timers and calls of
 * the file system.
 */
export function activeResources(): Map<string, number> {
  // A standard stream counts as a resource only after its first use. So this line uses all three. Otherwise, a stream
  // that a test uses first would look like a resource of the test.
  void [process.stdin, process.stdout, process.stderr];
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) {
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}

/**
 * Counts the active resources before the first test file runs. The result contains no timers, because the timers that
 * run at that time belong to vitest and end soon.
 */
export function resourcesAtRest(): Map<string, number> {
  return activeResources().set("Timeout", 0);
}

/**
 * Waits until this process has no more resources of any kind than before.
 * @param limit the longest wait in milliseconds.
 * @returns the additional resources after the wait, such as `2 TCPServerWrap`. The list is empty if there are none.
 */
export async function leftBehind(before: ReadonlyMap<string, number>, limit = longestClose): Promise<string[]> {
  for (const end = performance.now() + limit; ; ) {
    const left = [...activeResources()]
      .map(([kind, count]) => ({ kind, more: count - (before.get(kind) ?? 0) }))
      .filter(({ more }) => more > 0);
    if (left.length === 0 || performance.now() > end) {
      return left.map(({ kind, more }) => `${more} ${kind}`);
    }
    // The timer of this pause is not counted, because it has ended at the next count.
    await sleep(20);
  }
}
