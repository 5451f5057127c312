/** The rate at which a process may send: what the user allows, and less than that after the platform has answered 429. */
export interface RequestRate {
  /** Milliseconds between two requests; 0 for no limit. */
  gap(): number;
  sent(at: number): void;
  /** A request that was sent at `sentAt` has been answered; `tooMany` for 429. */
  answered(sentAt: number, at: number, tooMany: boolean): void;
}

/** In requests a second. What is sent no faster is not slowed down: the rests of each call are enough there. */
const slowest = 2;

/** How much faster it gets with each second without a 429, as a part of the rate at which the last one came. */
const step = 0.1;

/** From this multiple of the rate at which the last 429 came on, there is no limit again where the user set none. */
const recovered = 2;

/**
 * Halves the rate at each 429, and makes it faster again step by step. An answer to what was sent before the last change
 * changes nothing: many requests on their way at once are one sign, not many.
 * @param allowed requests a second, above 0; `Infinity` for no limit.
 */
export function createRequestRate(allowed: number): RequestRate {
  let rate = allowed;
  let full = allowed;
  let changedAt = Number.NEGATIVE_INFINITY;
  let lastSecond: number[] = [];

  function slowDown(at: number): void {
    const seen = Math.min(rate, lastSecond.filter((time) => Math.abs(at - time) < 1_000).length);
    if (seen <= slowest) {
      return;
    }
    full = seen;
    rate = Math.max(slowest, full / 2);
    changedAt = at;
  }

  function speedUp(at: number): void {
    const steps = Math.floor((at - changedAt) / 1_000);
    if (rate === allowed || steps < 1) {
      return;
    }
    changedAt = at;
    rate += steps * step * full;
    if (rate >= (allowed === Number.POSITIVE_INFINITY ? recovered * full : allowed)) {
      rate = allowed;
    }
  }

  return {
    gap: () => 1_000 / rate,
    sent(at) {
      lastSecond = [...lastSecond.filter((time) => Math.abs(at - time) < 1_000), at];
    },
    answered(sentAt, at, tooMany) {
      if (!tooMany) {
        speedUp(at);
      } else if (sentAt >= changedAt) {
        slowDown(at);
      }
    },
  };
}
