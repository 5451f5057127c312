import type { Clock } from "../support/clock";

/** Lets requests pass one after the other, first come, first served, at no more than a given rate. */
export interface Limiter {
  /** Resolves when the next request may be sent. */
  turn(signal: AbortSignal): Promise<void>;
}

/** @param perSecond requests a second, above 0; undefined for no limit. */
export function createLimiter(perSecond: number | undefined, clock: Clock): Limiter {
  let nextTurn = 0;
  return {
    async turn(signal) {
      if (perSecond === undefined) {
        return;
      }
      const now = clock.now();
      const turn = Math.max(now, nextTurn);
      nextTurn = turn + 1_000 / perSecond;
      if (turn > now) {
        await clock.sleep(turn - now, signal);
      }
    },
  };
}
