const works: (() => unknown)[] = [];

/** Does a piece of work when all tests of the file have ended, for tests that run at the same time. */
export function atFileEnd(work: () => unknown): void {
  works.push(work);
}

export async function endFile(): Promise<void> {
  await Promise.all(works.splice(0).map((work) => work()));
}
