import type { Clock } from "../../provider/support/time/clock";

/** A clock that a sleep advances at once. It records the sleeps. */
export class FakeClock implements Clock {
  readonly sleeps: number[] = [];
  /** Called in each sleep, before it ends. */
  onSleep: (ms: number) => void = () => {};

  #time: number;

  constructor(time = Date.now()) {
    this.#time = time;
  }

  now(): number {
    return this.#time;
  }

  /** Lets time pass without a sleep, as a request does. */
  pass(ms: number): void {
    this.#time += ms;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.sleeps.push(ms);
    this.#time += ms;
    this.onSleep(ms);
    signal?.throwIfAborted();
  }
}
