import { isListening } from "../journal/ownerProcess";
import { delays } from "../support/time/delays";
import type { PulumiSession } from "./pulumiSession";

/**
 * A provider has its own process group, so it survives if its engine is killed, and would poll for nobody. Before this
 * process exits, it waits for the answers to its requests, and records them in the journal.
 */
export function exitWithEngine(session: PulumiSession): void {
  const address = session.engineAddress();
  if (address === undefined || !session.once("exit with the engine")) {
    return;
  }
  let missed = 0;
  setInterval(async () => {
    missed = (await isListening(address)) ? 0 : missed + 1;
    if (missed >= 2) {
      await session.allAnswered();
      process.exit(1);
    }
  }, delays.engineCheck.pulumi).unref();
}
