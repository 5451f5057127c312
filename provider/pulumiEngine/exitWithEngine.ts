import { isListening } from "../journal/owner";
import type { PulumiSession } from "./session";

/** How often the engine is looked for, in milliseconds. */
const interval = 1_000;

/**
 * Ends this process once its engine is gone. A provider process is in a process group of its own and outlives an engine
 * that was killed: it would go on polling for nobody. What it has sent it finishes first, so that the journal has the answer.
 */
export function exitWithEngine(session: PulumiSession): void {
  // One that attaches to this process, to debug it, does not own it.
  const address = session.startedBy();
  if (address === undefined || !session.once("exit with the engine")) {
    return;
  }
  let missed = 0;
  setInterval(async () => {
    missed = (await isListening(address)) ? 0 : missed + 1;
    if (missed >= 2) {
      await Promise.all([session.allAnswered(), session.trace.end()]);
      process.exit(1);
    }
  }, interval).unref();
}
