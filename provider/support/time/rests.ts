/** A rest that doubles with each try. Milliseconds. */
export interface Backoff {
  first: number;
  longest: number;
}

/** The rest after this many tries in a row, which begin with 0. */
export function backoff({ first, longest }: Backoff, tries: number): number {
  return Math.min(longest, first * 2 ** tries);
}

/**
 * How long the provider rests before it asks again, for each cause. Milliseconds. Where an answer names a time (`Retry-After`),
 * that time counts, and after a 429 the longer of the two.
 */
export const rests = {
  /**
   * Between two polls of a job. Half a second of delay is not felt, and two polls a second are not too many; any forecast can
   * be wrong, so a poll comes every two minutes.
   */
  poll: { shortest: 500, longest: 120_000 },
  /** After a poll that failed. It saw nothing, so the first rest is short. */
  failedPoll: { first: 2_000, longest: 120_000 },
  /**
   * Before a request is repeated after a fault. The bound of a random rest: many clients that failed together do not come back
   * together. Twenty seconds are longer than the restart of a gateway.
   */
  repeat: { first: 500, longest: 20_000 },
  /** Before a request is repeated after a 429. A place under an hourly limit becomes free after half a minute, or after an hour. */
  limit: { first: 500, longest: 120_000 },
  /** Before an export is started again, when the job that was in the way has ended. Each further job in the way doubles it. */
  conflict: { first: 500, longest: 60_000 },
  /** Before a request to a storage, or to a registry, is repeated after a fault. Three times take 3.5 seconds. */
  transfer: { first: 500, longest: 2_000 },
  /** Before a journal's entry is read again whose process writes its answer at this moment. A local write takes less. */
  entry: 250,
  /** Before a look at the leases of other runs at a mirror's place. A small archive takes a second, a large one minutes. */
  lease: { first: 250, longest: 4_000 },
  /** Before a run renews its own lease. */
  leaseRenewal: 10_000,
  /** Before a key that was read again, and was the same, is read once more: a command that prints a key may be slow, or cost money. */
  sameKey: 10_000,
} as const;

/**
 * An answer that a platform may give for a moment, and that means nothing until this time has passed: it is asked again after
 * each rest. Milliseconds.
 */
export const settling = {
  /** "Not found", for a job that it has just accepted. */
  acceptedJob: { time: 10_000, rest: 1_500 },
  /** "No bundle", for a job that it calls completed. */
  bundle: { time: 30_000, rest: 1_500 },
  /** "Completed", for an agent job that has just got a message. An agent takes seconds to begin. */
  agentJob: { time: 30_000, rest: 4_000 },
} as const;
