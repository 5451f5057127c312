import { setTimeout as sleep } from "node:timers/promises";
/** The platform's clock: this machine's, shifted by an offset. */
export class PlatformClock {
  /** @param offset the platform's time minus this machine's, in milliseconds; may be negative, and may be changed */
  constructor(public offset: number) {}

  /** The platform's time, in milliseconds since the epoch. */
  now(): number {
    return Date.now() + this.offset;
  }

  /** The platform's time as the value of a `Date` header. */
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
