import type { OnceGuard } from "../platform/transport";

/**
 * One request that may not be repeated, from before it is sent until the state has what it started. It is recorded in the
 * journal, so that the run after a killed one neither loses what was started nor starts it twice.
 */
export interface PendingStart extends OnceGuard {
  /** The name of its entry, which the state keeps: a later process with that state shows that the engine has saved it. */
  readonly entry: string | undefined;
  /** How to say that a start whose answer was lost has started nothing; undefined where it is not recorded. */
  readonly dismissal: string | undefined;
  /** True where an earlier start's answer was lost, and the user has said that it started nothing. */
  readonly wasDismissed: boolean;
  /**
   * Records the intent.
   * @throws EarlierStartError where an earlier run has started the same; AmbiguousStartError where it may have.
   */
  before(): Promise<void>;
  /**
   * To be called before anything else once the platform has accepted.
   * @param isAnswered false where it may have, and what was started is kept as if it had.
   */
  accepted(id: string, isAnswered?: boolean): Promise<void>;
  /** What was recorded is of no use: it is gone, or it failed. */
  discard(): Promise<void>;
  /** The program uses what has this id in place of a start: one whose answer was lost is settled by it. */
  settle(id: string): Promise<void>;
}

/** An earlier run has started what this one was about to start, and the state does not have it. Nothing was sent. */
export class EarlierStartError extends Error {
  constructor(
    readonly id: string,
    /** When the request was about to be sent; milliseconds since the epoch. */
    readonly intendedAt: number,
    /** When its answer came; undefined where none came, and it is kept as one that was started. */
    readonly acceptedAt: number | undefined,
  ) {
    super(`started before: ${id}`);
  }
}
