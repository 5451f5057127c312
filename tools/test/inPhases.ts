interface Settled {
  isSettled(tool: string): boolean;
  next(): Promise<void>;
}

/**
 * A test file waits until the build of each of its tools has succeeded or failed. Each phase runs all files that no
 * longer wait.
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
