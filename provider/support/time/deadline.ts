import type { Clock } from "./clock";

export class Deadline {
  readonly at: number;

  constructor(
    at: number,
    private readonly clock: Clock,
  ) {
    this.at = at;
  }

  /** @param time milliseconds from now. */
  static in(time: number, clock: Clock): Deadline {
    return new Deadline(clock.now() + time, clock);
  }

  get left(): number {
    return this.at - this.clock.now();
  }

  get hasPassed(): boolean {
    return !(this.left > 0);
  }

  allows(time: number): boolean {
    return time < this.left;
  }
}
