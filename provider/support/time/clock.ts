import { sleep } from "../abort";

export interface Clock {
  now(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason as soon as the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = { now: () => Date.now(), sleep };
