import { setTimeout as sleep } from "node:timers/promises";
import { runSignal, wasCancelledBeforeEnd } from "./cancellation";

/*
 * What this process knows of the run that it serves: requests whose answer is awaited, what the engine was given, and the
 * run's end.
 */

/** The engine kills a provider that has not ended five seconds after it was told to; milliseconds. */
const endTime = 4_000;

/** The starts that were sent and not answered yet. */
class InFlight {
  readonly #open = new Map<object, { done: Promise<void>; end: () => void }>();

  begin(start: object): void {
    let end = () => {};
    const done = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#open.set(start, { done, end });
  }

  end(start: object): void {
    this.#open.get(start)?.end();
    this.#open.delete(start);
  }

  /** Resolves when all are answered, or given up. */
  async settled(): Promise<void> {
    await Promise.all([...this.#open.values()].map(({ done }) => done));
  }
}

export const inFlight = new InFlight();

/** For what the engine was given and may not have saved: what removes its entry from the journal. */
const unsaved = new Set<() => Promise<void>>();

/** In a cancelled run, nothing tells whether the engine still saves what it is given: that entry stays. */
export function handOver(remove: () => Promise<void>): void {
  if (!runSignal.aborted) {
    unsaved.add(remove);
  }
}

/** The ids that a `create` of this run has taken from the journal in place of a new start. */
export const takenFromJournal = new Set<string>();

let operations = 0;

/** Creates and updates: an engine that ends in good order has waited for them. */
export async function operation<T>(work: () => Promise<T>): Promise<T> {
  operations++;
  try {
    return await work();
  } finally {
    operations--;
  }
}

let isWatching = false;

/**
 * The engine ends a provider by SIGINT, after the last operation has ended and its result is written to the backend: then
 * the state has what the engine was given. It does not hold where operations are still under way (a second Ctrl-C), nor
 * where the engine writes at the very end only. A killed engine sends nothing. In all these cases the entries stay.
 */
export function endRunInOrder(): void {
  if (isWatching) {
    return;
  }
  isWatching = true;
  process.once("SIGINT", async () => {
    const inOrder = operations === 0 && !wasCancelledBeforeEnd() && !savesAtTheEnd(process.env);
    const work = inOrder ? Promise.all([...unsaved].map((remove) => remove())) : inFlight.settled();
    await Promise.race([work, sleep(endTime)]);
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
