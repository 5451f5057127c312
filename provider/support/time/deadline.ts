import type { Clock } from "./clock";

export class Deadline {
  /** `at` is a time of the monotonic clock. */
  private constructor(
    readonly at: number,
    private readonly clock: Pick<Clock, "monotonic">,
  ) {}

  /** @param time milliseconds. */
  static in(time: number, clock: Pick<Clock, "monotonic">): Deadline {
    return new Deadline(clock.monotonic() + time, clock);
  }

  get left(): number {
    return this.at - this.clock.monotonic();
  }

  get hasPassed(): boolean {
    return !(this.left > 0);
  }

  allows(time: number): boolean {
    return time < this.left;
  }
}
