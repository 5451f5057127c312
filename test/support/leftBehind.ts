import { setTimeout as sleep } from "node:timers/promises";

/** The longest time until what a file has used is closed, on a busy machine; milliseconds. */
const longestClose = 10_000;

/** Counts what keeps this process at work, by its kind: servers, sockets, child processes, timers, calls of the file system. */
export function activeResources(): Map<string, number> {
  // Each of them becomes a pipe at its first use.
  void [process.stdin, process.stdout, process.stderr];
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) {
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}

/** Counts what is active before the first file. The timers are vitest's own then, and end in a moment. */
export function resourcesAtRest(): Map<string, number> {
  return activeResources().set("Timeout", 0);
}

/**
 * Waits until no more handles are active than before.
 * @returns the handles that are still active, such as `2 TCPServerWrap`; empty if there are none.
 */
export async function leftBehind(before: ReadonlyMap<string, number>, limit = longestClose): Promise<string[]> {
  for (const end = performance.now() + limit; ; ) {
    const left = [...activeResources()]
      .map(([kind, count]) => ({ kind, more: count - (before.get(kind) ?? 0) }))
      .filter(({ more }) => more > 0);
    if (left.length === 0 || performance.now() > end) {
      return left.map(({ kind, more }) => `${more} ${kind}`);
    }
    // A test's own timer does not count when the test has ended.
    await sleep(20);
  }
}
