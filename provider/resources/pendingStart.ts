import type { OnceGuard } from "../platform/transport";

/**
 * One request that may not be repeated, from before it is sent until the state has its result. The journal records it,
 * so that the run after a killed run neither loses the result nor sends the request a second time.
 */
export interface PendingStart extends OnceGuard {
  /** The name of its journal entry. A later state with this name shows that the engine has saved the result. */
  readonly entry: string | undefined;
  /** The step a user takes if the lost start has started nothing, for an error; undefined if this one is not recorded. */
  readonly removal: string | undefined;
  /** Records the intent. @throws EarlierStartError, or AmbiguousStartError if an earlier run may have made this start. */
  before(): Promise<void>;
  /** Records that the platform has accepted the start. Must be called before anything else is done. */
  accepted(id: string, answer?: StartAnswer): Promise<void>;
  discard(why: "failed" | "unknown"): Promise<void>;
  /**
   * Records that the program adopts this id, and starts nothing. A start whose answer was lost is settled by that.
   * @param begin when the job began, by this machine's clock; milliseconds since the epoch.
   */
  settle(id: string, begin?: number): Promise<void>;
}

/** How much earlier than its request a job may seem to begin, since a platform rounds times and has several machines; milliseconds. */
export const beginTolerance = 60_000;

export interface StartAnswer {
  /** False if it may have accepted, and what was started is kept as if it had. Default true. */
  isAnswered?: boolean;
  /** The time of the answer by the platform's clock, in milliseconds since the epoch. */
  platformTime?: number | undefined;
}

/** This start was made already, and the state does not have its result. Nothing was sent. */
export class EarlierStartError extends Error {
  constructor(
    readonly id: string,
    /** When the request was about to be sent, by the clock of the machine that sent it; milliseconds since the epoch. */
    readonly intendedAt: number,
    readonly acceptedAt: number | undefined,
    /** The earliest time of its begin, by the platform's clock; undefined if the platform told no time. */
    readonly earliestBegin: number | undefined,
    readonly by: "an earlier run" | "this run",
  ) {
    super(`started before: ${id}`);
  }
}
