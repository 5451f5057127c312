import { sleep } from "../abort";

export interface Clock {
  /**
   * The time of day, for times that are saved, shown or compared with other machines. Milliseconds since the epoch. It
   * jumps when somebody sets the clock.
   */
  now(): number;
  /** Milliseconds since any moment, for durations. It never jumps. While the machine sleeps, it may stand still. */
  monotonic(): number;
  /** Resolves when `monotonic` has grown by `ms`; rejects with the signal's reason as soon as the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

const monotonic = () => performance.now();

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic,
  async sleep(ms, signal) {
    const end = monotonic() + ms;
    // A timer may end a moment early.
    for (let left = ms; left > 0; left = end - monotonic()) {
      await sleep(left, signal);
    }
  },
};
