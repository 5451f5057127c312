import type { Clock } from "../support/clock";
import { createPace } from "./pace";

/** Lets the requests of a process pass one after the other, first come, first served, at its pace. */
export interface Limiter {
  /** Resolves when the next request may be sent, or at the deadline, whichever comes first; rejects as the signal aborts. */
  turn(deadline: number | undefined, signal: AbortSignal): Promise<void>;
  /** A request that was sent at `sentAt` has been answered; after a 429 all that follow are slowed down. */
  answered(sentAt: number, status: number): void;
}

interface Waiting {
  deadline: number;
  go(): void;
}

/** @param perSecond requests a second, above 0; undefined for no limit. */
export function createLimiter(perSecond: number | undefined, clock: Clock): Limiter {
  const pace = createPace(perSecond ?? Number.POSITIVE_INFINITY);
  let queue: Waiting[] = [];
  let lastTurn = Number.NEGATIVE_INFINITY;
  let serving = false;

  function rest(): number {
    // A clock that was set back would make the last turn one of the future.
    lastTurn = Math.min(lastTurn, clock.now());
    return lastTurn + pace.gap() - clock.now();
  }

  function pass(): void {
    lastTurn = clock.now();
    pace.sent(lastTurn);
  }

  function letLateOnesGo(): void {
    for (const late of queue.filter(({ deadline }) => deadline <= clock.now())) {
      leave(late);
      late.go();
    }
  }

  function leave(one: Waiting): void {
    queue = queue.filter((each) => each !== one);
  }

  /** One sleeper for all: what is in the queue needs no timers of its own. */
  async function serve(): Promise<void> {
    serving = true;
    for (letLateOnesGo(); queue.length > 0; letLateOnesGo()) {
      const time = rest();
      if (time > 0) {
        await clock.sleep(Math.min(time, ...queue.map(({ deadline }) => deadline - clock.now())));
      } else {
        pass();
        queue.shift()?.go();
      }
    }
    serving = false;
  }

  function enqueue(deadline: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const give = () => {
        leave(one);
        reject(signal.reason);
      };
      const one = {
        deadline,
        go() {
          signal.removeEventListener("abort", give);
          resolve();
        },
      };
      signal.addEventListener("abort", give, { once: true });
      queue.push(one);
    });
  }

  return {
    async turn(deadline = Number.POSITIVE_INFINITY, signal) {
      signal.throwIfAborted();
      if (queue.length === 0 && rest() <= 0) {
        pass();
        return;
      }
      const turn = enqueue(deadline, signal);
      if (!serving) {
        void serve();
      }
      await turn;
    },

    answered(sentAt, status) {
      pace.answered(sentAt, clock.now(), status === 429);
    },
  };
}
