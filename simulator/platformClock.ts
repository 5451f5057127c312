import { setTimeout as sleep } from "node:timers/promises";

/** This machine's clock plus an offset, which a test may change. */
export class PlatformClock {
  constructor(private readonly settings: { readonly clockOffset: number }) {}

  now(): number {
    return Date.now() + this.settings.clockOffset;
  }

  httpDate(): string {
    return new Date(this.now()).toUTCString();
  }
}

/** A timer of Node.js with a longer time fires at once. */
const longestTimer = 2_147_483_647;

/**
 * Waits until `performance.now()` has reached a time, which may be `Infinity`. Does not keep the process alive.
 * @throws AbortError if the signal aborts
 */
export async function sleepUntil(time: number, signal: AbortSignal): Promise<void> {
  for (let left = time - performance.now(); left > 0; left = time - performance.now()) {
    await sleep(Math.min(Math.ceil(left), longestTimer), undefined, { signal, ref: false });
  }
  signal.throwIfAborted();
}
