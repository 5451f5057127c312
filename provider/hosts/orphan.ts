import { isListening } from "../journal/owner";
import { startedBy } from "./engineAddress";
import { inFlight } from "./run";

/** How often the engine is looked for, in milliseconds. */
const interval = 1_000;

let watching = false;

/**
 * Ends this process once its engine is gone. A provider process is in a process group of its own and outlives an engine
 * that was killed: it would go on polling for nobody. What it has sent it finishes first, so that the journal has the answer.
 */
export function endWithEngine(): void {
  // One that attaches to this process, to debug it, does not own it.
  const address = startedBy();
  if (watching || address === undefined) {
    return;
  }
  watching = true;
  let missed = 0;
  setInterval(async () => {
    missed = (await isListening(address)) ? 0 : missed + 1;
    if (missed >= 2) {
      await inFlight.settled();
      process.exit(1);
    }
  }, interval).unref();
}
