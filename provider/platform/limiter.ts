import { unlessAborted } from "../support/abort";
import type { Clock } from "../support/time/clock";
import type { Deadline } from "../support/time/deadline";
import { createRequestRate, type RequestRate } from "./requestRate";

/** A request that waits for its turn. */
interface QueuedRequest {
  deadline: Deadline | undefined;
  go(): void;
}

/** Lets the requests of a process pass one after the other, in the order of their arrival, at the allowed rate. */
export class Limiter {
  readonly #rate: RequestRate;
  #queue: QueuedRequest[] = [];
  #lastTurn = Number.NEGATIVE_INFINITY;
  #serving = false;

  readonly #clock: Clock;

  /** @param perSecond the allowed requests per second, above 0; undefined for no limit. */
  constructor(perSecond: number | undefined, clock: Clock) {
    this.#clock = clock;
    this.#rate = createRequestRate(perSecond ?? Number.POSITIVE_INFINITY);
  }

  /** Resolves when the next request may be sent, or at the deadline, whichever is first. Rejects when the signal aborts. */
  async turn(deadline: Deadline | undefined, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#queue.length === 0 && this.#rest() <= 0) {
      this.#pass();
      return;
    }
    const turn = this.#enqueue(deadline, signal);
    if (!this.#serving) {
      void this.#serve();
    }
    await turn;
  }

  /** Records the answer to a request that was sent at `sentAt`. After a 429, all later requests are slowed down. */
  answered(sentAt: number, status: number): void {
    this.#rate.answered(sentAt, this.#clock.now(), status === 429);
  }

  #rest(): number {
    // If the clock was set back, the last turn would be in the future.
    this.#lastTurn = Math.min(this.#lastTurn, this.#clock.now());
    return this.#lastTurn + this.#rate.gap() - this.#clock.now();
  }

  #pass(): void {
    this.#lastTurn = this.#clock.now();
    this.#rate.sent(this.#lastTurn);
  }

  /** Serves the whole queue in one loop, so that the requests need no timers of their own. */
  async #serve(): Promise<void> {
    this.#serving = true;
    for (this.#letLateOnesGo(); this.#queue.length > 0; this.#letLateOnesGo()) {
      const time = this.#rest();
      if (time > 0) {
        await this.#clock.sleep(Math.min(time, ...this.#queue.map(({ deadline }) => deadline?.left ?? time)));
      } else {
        this.#pass();
        this.#queue.shift()?.go();
      }
    }
    this.#serving = false;
  }

  #letLateOnesGo(): void {
    for (const late of this.#queue.filter(({ deadline }) => deadline?.hasPassed)) {
      this.#leave(late);
      late.go();
    }
  }

  async #enqueue(deadline: Deadline | undefined, signal: AbortSignal): Promise<void> {
    const { promise: turn, resolve: go } = Promise.withResolvers<void>();
    const one = { deadline, go };
    this.#queue.push(one);
    await unlessAborted(turn, signal).finally(() => this.#leave(one));
  }

  #leave(one: QueuedRequest): void {
    this.#queue = this.#queue.filter((each) => each !== one);
  }
}
