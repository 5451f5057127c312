import { setTimeout as sleep } from "node:timers/promises";

/** The longest time in which a busy machine closes what a file has used; milliseconds. */
const longestClose = 10_000;

/**
 * Counts the resources that keep this process running, by their kind: servers, sockets, child processes, timers, calls
 * of the file system.
 */
export function activeResources(): Map<string, number> {
  // Each of them becomes a pipe when it is first used.
  void [process.stdin, process.stdout, process.stderr];
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) {
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}

/** Counts the active resources before the first file, without timers: vitest's own timers end in a moment. */
export function resourcesAtRest(): Map<string, number> {
  return activeResources().set("Timeout", 0);
}

/**
 * Waits until no more resources are active than before.
 * @returns the resources that are still active, such as `2 TCPServerWrap`; an empty text if there are none.
 */
export async function leftBehind(before: ReadonlyMap<string, number>, limit = longestClose): Promise<string[]> {
  for (const end = performance.now() + limit; ; ) {
    const left = [...activeResources()]
      .map(([kind, count]) => ({ kind, more: count - (before.get(kind) ?? 0) }))
      .filter(({ more }) => more > 0);
    if (left.length === 0 || performance.now() > end) {
      return left.map(({ kind, more }) => `${more} ${kind}`);
    }
    // A test's own timer does not count, because the test has ended.
    await sleep(20);
  }
}
