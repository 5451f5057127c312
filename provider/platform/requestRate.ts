/** The rate at which a process may send: as the user allows, and slower after the platform has answered 429. */
export interface RequestRate {
  /** Milliseconds between two requests; 0 for no limit. */
  gap(): number;
  sent(at: number): void;
  /** Says that a request sent at `sentAt` was answered; `tooMany` means 429. */
  answered(sentAt: number, at: number, tooMany: boolean): void;
}

/** Requests a second. A slower process is not slowed down further: the rests of each call are enough. */
const slowest = 2;

/** How much the rate grows with each second without a 429, as a part of the rate at the last 429. */
const step = 0.1;

/** Where the user set no limit, there is none again from this multiple of the rate at the last 429. */
const recovered = 2;

/**
 * Halves the rate at each 429, and raises it again step by step. A 429 to a request that was sent before the last change
 * changes nothing: many 429 to requests sent at once count as one.
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
