import type { Clock } from "../../provider/support/time/clock";

/** A clock on which a sleep ends at once and moves the time forward. It records the sleeps. */
export class FakeClock implements Clock {
  readonly sleeps: number[] = [];
  /** Called in each sleep, before the sleep ends. */
  onSleep: (ms: number) => void = () => {};

  #time: number;
  #monotonic = 0;

  constructor(time = Date.now()) {
    this.#time = time;
  }

  now(): number {
    return this.#time;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  /** Moves the time forward without a sleep, as a slow request does. */
  pass(ms: number): void {
    this.#time += ms;
    this.#monotonic += ms;
  }

  /** Moves the time of day by `ms`, backward if `ms` is negative. The monotonic clock does not change. */
  setAhead(ms: number): void {
    this.#time += ms;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.sleeps.push(ms);
    this.pass(ms);
    this.onSleep(ms);
    signal?.throwIfAborted();
  }
}
