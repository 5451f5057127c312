interface Backoff {
  first: number;
  longest: number;
}

/** `tries` is the number of earlier failed attempts. */
export function calculateBackoffDelay({ first, longest }: Backoff, tries: number): number {
  return Math.min(longest, first * 2 ** tries);
}

/** All times are milliseconds. A `Retry-After` replaces the pause. After a 429, the longer of the two is used. */
export const delays = {
  /** The pause between two polls of a job. It depends on a forecast of the job's end, which can be wrong. */
  poll: { shortest: 250, longest: 120_000 },
  /** The first pause is short, because the failed poll did not show if the job has ended. */
  failedPoll: { first: 2_000, longest: 120_000 },
  /** The upper limit of the random pause after a fault. A gateway can restart within the longest pause. */
  repeat: { first: 500, longest: 20_000 },
  /**
   * The pause before a request is repeated after a 429. An hourly limit may accept the next request after half a minute
   * or after an hour.
   */
  limit: { first: 500, longest: 120_000 },
  /** The pause before the provider tries again to start an export that another job prevents. */
  conflict: { first: 500, longest: 30_000 },
  /** The pause after a fault of a storage or a registry. Three pauses take 3.5 seconds. */
  transfer: { first: 500, longest: 2_000 },
  /**
   * The pause before an entry of the journal is read again. The process that made the entry may still add the answer of
   * the platform.
   */
  entry: 250,
  /**
   * If a reading gives the same key again, no refused key is read during this time. Each reading may run a command that
   * costs money.
   */
  sameKey: 10_000,
  /** The pause before a process checks again whether its engine still runs. */
  engineCheck: { pulumi: 1_000, terraform: 500 },
  /** The pause between any two requests after a 429. The refused request also waits for the pause `limit`. */
  afterLimit: 500,
  /** The shortest pause between two status lines of a wait, and the pause as a share of the elapsed time. */
  status: { shortest: 2_000, share: 0.06 },
} as const;

/**
 * The times, in milliseconds, during which the platform's answers may be out of date. The request is repeated after
 * each `pause` until `time` has passed.
 */
export const stalePlatformAnswerRetries = {
  /** The platform answers "not found" for a job that it has just accepted. */
  acceptedJob: { time: 10_000, pause: 1_500 },
  /** The platform answers "no bundle" for a job that it reports as completed. */
  bundle: { time: 30_000, pause: 1_500 },
  /** The platform answers "accepted" (202), because it packs the bundle only when a link is requested. */
  packing: { time: 300_000 },
  /** The storage answers "not found" or "forbidden" for a new link, because a storage may be eventually consistent. */
  link: { time: 30_000, pause: 1_500 },
  /** The platform still answers "completed" for an agent job that has just received another message. */
  agentJob: { time: 30_000, pause: 4_000 },
} as const;
