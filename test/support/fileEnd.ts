const works: (() => unknown)[] = [];

/**
 * Registers work that runs after all tests of the file. Tests that run at the same time cannot use `onTestFinished` for
 * it.
 */
export function atFileEnd(work: () => unknown): void {
  works.push(work);
}

export async function endFile(): Promise<void> {
  await Promise.all(works.splice(0).map((work) => work()));
}
