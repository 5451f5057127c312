/** Writes one line for the user to standard error, because standard output is only for the result. */
export function printProgressLine(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Prints a description, and every 15 s also the elapsed time, while `work` runs. */
export async function withProgress<T>(what: string, work: () => Promise<T>): Promise<T> {
  const started = Date.now();
  printProgressLine(what);
  const timer = setInterval(
    () => printProgressLine(`${what}: ${Math.round((Date.now() - started) / 1_000)} s`),
    15_000,
  );
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
