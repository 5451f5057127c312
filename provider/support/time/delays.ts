interface Backoff {
  first: number;
  longest: number;
}

/** Returns the pause after a failed attempt. `tries` is the number of failed attempts before it. */
export function backoff({ first, longest }: Backoff, tries: number): number {
  return Math.min(longest, first * 2 ** tries);
}

/**
 * The pauses of the provider, in milliseconds. A `Retry-After` replaces them. After a 429, it replaces only a shorter
 * pause.
 */
export const delays = {
  /**
   * The pause between two polls of a job. It depends on a forecast of the job's end. The forecast can be wrong, so no
   * pause is longer than two minutes.
   */
  poll: { shortest: 250, longest: 120_000 },
  /** The pause after a failed poll. The first is short, because the failed poll did not show if the job has ended. */
  failedPoll: { first: 2_000, longest: 120_000 },
  /**
   * The upper limit of the random pause before a request is repeated after a fault. The longest limit is longer than a
   * gateway takes to restart.
   */
  repeat: { first: 500, longest: 20_000 },
  /**
   * The pause before a request is repeated after a 429. An hourly limit may accept the next request after half a minute
   * or after an hour.
   */
  limit: { first: 500, longest: 120_000 },
  /** The pause before the provider tries again to start an export that another job prevents. */
  conflict: { first: 500, longest: 30_000 },
  /**
   * The pause before a request to a storage or a registry is repeated after a fault. Three pauses take 3.5 seconds. An
   * answer with 429 or 503 may ask for another pause.
   */
  transfer: { first: 500, longest: 2_000 },
  /**
   * The pause before an entry of the journal is read again. During this time, the process that owns the entry can write
   * the platform's answer. A write to a local disk takes less time.
   */
  entry: 250,
  /**
   * If a refused key was read again and has not changed, it is not read again during this time. The time is long,
   * because a command that prints a key may be slow, or cost money.
   */
  sameKey: 10_000,
  /** The pause before a process checks again whether its engine still runs. */
  engineCheck: { pulumi: 1_000, terraform: 500 },
  /**
   * The pause between two requests after a 429. A longer pause is not necessary, because each refused request also
   * waits before it is repeated.
   */
  afterLimit: 500,
  /**
   * The pause between two status lines of a wait: the shortest pause, and the pause as a share of the elapsed time. So
   * a long wait does not fill a log in which each status is a new line.
   */
  status: { shortest: 2_000, share: 0.06 },
} as const;

/**
 * The times during which the platform's answers may be out of date. The provider repeats the request after each `pause`
 * until `time` has passed. All times are milliseconds.
 */
export const staleAnswerTimes = {
  /** The platform answers "not found" for a job that it has just accepted. */
  acceptedJob: { time: 10_000, pause: 1_500 },
  /** The platform answers "no bundle" for a job that it reports as completed. */
  bundle: { time: 30_000, pause: 1_500 },
  /** The platform answers "accepted" (202), because it packs the bundle only when a link is requested. */
  packing: { time: 300_000 },
  /**
   * The storage answers "not found" or "forbidden" for a link that the platform has just created, because a storage may
   * be eventually consistent.
   */
  link: { time: 30_000, pause: 1_500 },
  /**
   * The platform answers "completed" for an agent job that has just received a message, because an agent needs seconds
   * to begin.
   */
  agentJob: { time: 30_000, pause: 4_000 },
} as const;
