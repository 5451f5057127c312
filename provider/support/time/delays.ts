interface Backoff {
  first: number;
  longest: number;
}

/** The pause after this many tries in a row. The first try has the number 0. */
export function backoff({ first, longest }: Backoff, tries: number): number {
  return Math.min(longest, first * 2 ** tries);
}

/**
 * How long the provider pauses, in milliseconds. `Retry-After` takes precedence. After a 429, the longer of the two
 * applies.
 */
export const delays = {
  /** Between two polls of a job. Any forecast can be wrong, so a poll comes every two minutes. */
  poll: { shortest: 250, longest: 120_000 },
  /** After a failed poll. It saw nothing, so the first pause is short. */
  failedPoll: { first: 2_000, longest: 120_000 },
  /**
   * Before a request is repeated after a fault: the upper limit of a random pause, longer than the restart of a
   * gateway.
   */
  repeat: { first: 500, longest: 20_000 },
  /**
   * Before a request is repeated after a 429. An hourly limit accepts the next request after half a minute, or after an
   * hour.
   */
  limit: { first: 500, longest: 120_000 },
  /** Before an export is started again, while another job prevents it. */
  conflict: { first: 500, longest: 30_000 },
  /** Before a request to a storage or a registry is repeated after a fault: 3.5 seconds for three. A 429 or 503 may name another time. */
  transfer: { first: 500, longest: 2_000 },
  /** Before an entry of the journal is read again, because its process is writing the answer. A local write takes less. */
  entry: 250,
  /** Before an unchanged key is read once more: a command that prints a key may be slow, or cost money. */
  sameKey: 10_000,
  /** Before a process looks again whether its engine still runs. */
  engineCheck: { pulumi: 1_000, terraform: 500 },
  /** Between two requests after a 429. At this rate, the pauses before the retries of each call are enough. */
  afterLimit: 500,
  /**
   * Between two status lines of a wait: the shortest pause, and the pause as a share of the elapsed time. Without a
   * display, each status is a line.
   */
  status: { shortest: 2_000, share: 0.06 },
} as const;

/**
 * Until these times have passed, the platform's answers prove nothing: the provider asks again after each pause.
 * Milliseconds.
 */
export const settling = {
  /** "Not found", for a job that it has just accepted. */
  acceptedJob: { time: 10_000, rest: 1_500 },
  /** "No bundle", for a job that it calls completed. */
  bundle: { time: 30_000, rest: 1_500 },
  /** "Accepted" (202), for a bundle that the platform packs when it is asked for a link. */
  packing: { time: 300_000 },
  /** "Not found" or "forbidden", for a link that it has just created: a storage may be eventually consistent. */
  link: { time: 30_000, rest: 1_500 },
  /** "Completed", for an agent job that has just received a message. An agent takes seconds to begin. */
  agentJob: { time: 30_000, rest: 4_000 },
} as const;
