import { setTimeout as sleep } from "node:timers/promises";

/** The platform's clock: this machine's, shifted by a setting that may change. */
export class PlatformClock {
  constructor(private readonly settings: { readonly clockOffset: number }) {}

  now(): number {
    return Date.now() + this.settings.clockOffset;
  }

  httpDate(): string {
    return new Date(this.now()).toUTCString();
  }
}

/** The longest time of a Node timer. A longer one fires at once. */
const longestTimer = 2_147_483_647;

/**
 * Waits until `performance.now()` has reached a point in time; for `Infinity`, for ever. Keeps no process alive.
 *
 * @throws AbortError when the signal fires
 */
export async function sleepUntil(time: number, signal: AbortSignal): Promise<void> {
  for (let left = time - performance.now(); left > 0; left = time - performance.now()) {
    await sleep(Math.min(Math.ceil(left), longestTimer), undefined, { signal, ref: false });
  }
  signal.throwIfAborted();
}
