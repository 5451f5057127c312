const works: (() => unknown)[] = [];

/**
 * Registers work that runs after all tests of the file. Concurrent tests cannot use vitest's global `onTestFinished`.
 */
export function afterTestFile(work: () => unknown): void {
  works.push(work);
}

export async function runAfterTestFile(): Promise<void> {
  await Promise.all(works.splice(0).map((work) => work()));
}
