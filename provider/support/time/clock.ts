import { sleep } from "../abort";

export interface Clock {
  /**
   * The time of day, in milliseconds since the epoch: for times that are saved, shown or compared with other machines.
   * It jumps when somebody sets the clock.
   */
  now(): number;
  /** Milliseconds since some moment, to measure durations. Never jumps, but may stop while the machine sleeps. */
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
    // A timer may end slightly too early. The loop then waits for the remaining time.
    for (let left = ms; left > 0; left = end - monotonic()) {
      await sleep(left, signal);
    }
  },
};
