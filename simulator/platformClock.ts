import { setTimeout as sleep } from "node:timers/promises";

/** The platform's clock: the clock of this machine, plus an offset. A test may change the offset. */
export class PlatformClock {
  constructor(private readonly settings: { readonly clockOffset: number }) {}

  now(): number {
    return Date.now() + this.settings.clockOffset;
  }

  httpDate(): string {
    return new Date(this.now()).toUTCString();
  }
}

/** The longest time of a timer in Node.js. A timer with a longer time fires at once. */
const longestTimer = 2_147_483_647;

/**
 * Waits until `performance.now()` has reached a time; with `Infinity`, it waits for ever. The wait does not keep the
 * process alive.
 * @throws AbortError if the signal aborts
 */
export async function sleepUntil(time: number, signal: AbortSignal): Promise<void> {
  for (let left = time - performance.now(); left > 0; left = time - performance.now()) {
    await sleep(Math.min(Math.ceil(left), longestTimer), undefined, { signal, ref: false });
  }
  signal.throwIfAborted();
}
