/** The error with which work stops when the user or the machine asks this process to end. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** On Ctrl-C, SIGTERM or SIGHUP: aborts `work`, waits for its clean-up, and ends the process by the same signal. */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let caught: NodeJS.Signals | undefined;
  const onSignal = (name: NodeJS.Signals) => {
    caught ??= name;
    controller.abort(new Interrupted(`stopped by ${name}`));
  };
  for (const name of signals) {
    process.on(name, onSignal);
  }
  try {
    return await work(controller.signal);
  } finally {
    for (const name of signals) {
      process.removeListener(name, onSignal);
    }
    if (caught !== undefined) {
      process.kill(process.pid, caught);
    }
  }
}
