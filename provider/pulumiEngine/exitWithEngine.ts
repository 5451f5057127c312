import { isListening } from "../journal/owner";
import type { PulumiSession } from "./session";

/** The time between two checks that the engine still runs, in milliseconds. */
const interval = 1_000;

/**
 * Ends this process when its engine is gone. A provider process is in a process group of its own, so it outlives a
 * killed engine and would poll for nobody. The process first waits for the answers to what it has sent, so that the
 * journal has them.
 */
export function exitWithEngine(session: PulumiSession): void {
  // An engine that attaches to this process for debugging does not own it.
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
