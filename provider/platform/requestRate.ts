/** The rate at which a process may send requests: the rate that the user allows, or less after a 429. */
export interface RequestRate {
  /** Returns the milliseconds between two requests; 0 for no limit. */
  gap(): number;
  sent(at: number): void;
  /** Records the answer to a request that was sent at `sentAt`; `tooMany` means 429. */
  answered(sentAt: number, at: number, tooMany: boolean): void;
}

/** The lowest rate, in requests per second. At this rate, the rests before the retries of each call are enough. */
const slowest = 2;

/** The growth of the rate in each second without a 429, as a share of the rate at the last 429. */
const step = 0.1;

/** If the user has set no limit, the limit ends at this multiple of the rate at the last 429. */
const recovered = 2;

/**
 * Halves the rate at each 429, and raises it again step by step. A 429 to a request that was sent before the last
 * change changes nothing, so that several 429 to simultaneous requests count as one.
 * @param allowed the requests per second, above 0; `Infinity` for no limit.
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
