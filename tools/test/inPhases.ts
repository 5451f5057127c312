interface Settled {
  isSettled(tool: string): boolean;
  /** Resolves when one more tool is built or cannot be built. */
  next(): Promise<void>;
}

/**
 * Runs test files in as few phases as possible. A phase has all waiting files whose tools are built or cannot be built.
 * If all tools are in the cache, there is only one phase.
 * @param toolsOf returns the tools that a file needs.
 */
export async function inPhases<T>(
  files: readonly string[],
  toolsOf: (file: string) => Iterable<string>,
  tools: Settled,
  run: (files: readonly string[]) => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  let waiting = files;
  while (waiting.length > 0) {
    const isReady = (file: string) => [...toolsOf(file)].every((tool) => tools.isSettled(tool));
    const ready = waiting.filter(isReady);
    waiting = waiting.filter((file) => !ready.includes(file));
    if (ready.length > 0) {
      results.push(await run(ready));
    } else {
      await tools.next();
    }
  }
  return results;
}
