/** The user or the machine asked this process to end. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Runs `work` with a signal that aborts on Ctrl-C (and SIGTERM, SIGHUP). When `work` has put everything away, the
 * process ends by the signal that it got, whatever its caller is.
 */
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
