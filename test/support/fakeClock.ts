import type { Clock } from "../../provider/support/time/clock";

/** A clock on which each sleep passes at once. It records the sleeps. */
export class FakeClock implements Clock {
  readonly sleeps: number[] = [];
  /** Called in each sleep, before it ends. */
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

  /** Lets time pass without a sleep, like a request. */
  pass(ms: number): void {
    this.#time += ms;
    this.#monotonic += ms;
  }

  /** Sets the time of day ahead or back. The monotonic clock does not change. */
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
