import type { Clock } from "./clock";

export class Deadline {
  /** @param at a time of the monotonic clock, so that setting the time of day does not change the deadline. */
  private constructor(
    readonly at: number,
    private readonly clock: Pick<Clock, "monotonic">,
  ) {}

  /** @param time the milliseconds from now to the deadline. */
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
