import type { Clock } from "./clock";

/** The moment at which a piece of work has to end, by the provider's clock. */
export class Deadline {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly #clock: Clock;

  constructor(at: number, clock: Clock) {
    this.at = at;
    this.#clock = clock;
  }

  /** @param time milliseconds from now. */
  static in(time: number, clock: Clock): Deadline {
    return new Deadline(clock.now() + time, clock);
  }

  /** Milliseconds until it; negative afterwards. */
  get left(): number {
    return this.at - this.#clock.now();
  }

  get hasPassed(): boolean {
    return !(this.left > 0);
  }

  /** Whether a rest, or another piece of work, ends before it. @param time milliseconds. */
  allows(time: number): boolean {
    return time < this.left;
  }
}
