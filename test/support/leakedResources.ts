import { setTimeout as sleep } from "node:timers/promises";

/** The time in milliseconds in which even a busy machine closes the resources of a test file. */
const longestClose = 10_000;

/**
 * Counts the resources that keep this process running: servers, sockets, child processes, timers and file operations.
 */
export function activeResources(): Map<string, number> {
  // A standard stream counts as a resource only after its first use. This line uses all three, so that a later use by a
  // test does not look like a leak.
  void [process.stdin, process.stdout, process.stderr];
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) {
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}

/**
 * Counts the active resources before the first test file runs. The timers at that time belong to vitest and end soon,
 * so they do not count.
 */
export function resourcesBeforeTests(): Map<string, number> {
  return activeResources().set("Timeout", 0);
}

/**
 * Waits until this process has no more resources of any kind than before. Returns the additional ones, such as `2
 * TCPServerWrap`.
 * @param limit the longest wait in milliseconds.
 */
export async function leakedResources(before: ReadonlyMap<string, number>, limit = longestClose): Promise<string[]> {
  for (const end = performance.now() + limit; ; ) {
    const left = [...activeResources()]
      .map(([kind, count]) => ({ kind, more: count - (before.get(kind) ?? 0) }))
      .filter(({ more }) => more > 0);
    if (left.length === 0 || performance.now() > end) {
      return left.map(({ kind, more }) => `${more} ${kind}`);
    }
    // The timer of this pause ends before the next count, so the count does not include the timer.
    await sleep(20);
  }
}
