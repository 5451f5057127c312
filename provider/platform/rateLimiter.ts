import { unlessAborted } from "../support/abort";
import type { Clock } from "../support/time/clock";
import type { Deadline } from "../support/time/deadline";
import { delays } from "../support/time/delays";

/** Each answer other than 429 multiplies the gap by `share`. A gap below `noGap` milliseconds counts as zero. */
const [share, noGap] = [0.9, 5];

/** After a 429, requests pass slowly. Every other answer makes them faster, up to the rate that the user allows. */
export class RateLimiter {
  readonly #allowedGap: number;
  #gap: number;
  #lastPass = Number.NEGATIVE_INFINITY;
  /** Resolves when every earlier request has passed, or has left the queue. */
  #line: Promise<void> = Promise.resolve();

  constructor(
    perSecond: number | undefined,
    private readonly clock: Clock,
  ) {
    this.#allowedGap = 1_000 / (perSecond ?? Number.POSITIVE_INFINITY);
    this.#gap = this.#allowedGap;
  }

  async turn(deadline: Deadline | undefined, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const turn = this.#line.then(() => this.#pass(deadline, signal));
    this.#line = turn.catch(() => {});
    await unlessAborted(turn, signal);
  }

  answered(status: number): void {
    const gap = status === 429 ? delays.afterLimit : this.#gap * share;
    this.#gap = Math.max(this.#allowedGap, gap < noGap ? 0 : gap);
  }

  async #pass(deadline: Deadline | undefined, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const pause = this.#lastPass + this.#gap - this.clock.monotonic();
    if (pause > 0 && !deadline?.hasPassed) {
      await this.clock.sleep(Math.min(pause, deadline?.left ?? pause), signal);
    }
    // After its deadline, this request is not sent, so it does not count for the next gap.
    if (!deadline?.hasPassed) {
      this.#lastPass = this.clock.monotonic();
    }
  }
}
