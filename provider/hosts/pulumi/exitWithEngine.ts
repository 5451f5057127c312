import type { Session } from "../../engine/session";
import { isListening } from "../../journal/owner";
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

/**
 * The engine ends a provider by SIGINT, after the last operation has ended and its result is written to the backend: then
 * the state has what the engine was given. It does not hold where operations are still under way (a second Ctrl-C), nor
 * where the engine writes at the very end only. A killed engine sends nothing. In all these cases the entries stay.
 */
export function endRunInOrder(session: Session): void {
  process.once("SIGINT", async () => {
    // The engine cancels once for a first Ctrl-C, and once before it ends its providers, at the end of every run.
    await session.end(session.cancellations <= 1 && !savesAtTheEnd(process.env));
    process.exit(0);
  });
}

/** The engine's setting to write no checkpoints, which is in force with its experimental features only. */
function savesAtTheEnd({
  PULUMI_SKIP_CHECKPOINTS: skip,
  PULUMI_EXPERIMENTAL: experimental,
}: NodeJS.ProcessEnv): boolean {
  return [skip, experimental].every((value) => /^(1|true)$/i.test(value ?? ""));
}
