import type { OnceGuard } from "../platform/transport";

/**
 * One request that may not be repeated, from before it is sent until the state has its result. The journal records it.
 * After a killed run, the next run can then keep the result, and does not send the request again.
 */
export interface PendingStart extends OnceGuard {
  /** The name of its journal entry. A later state with this name shows that the engine has saved the result. */
  readonly entry: string | undefined;
  /**
   * For an error: what a user must do if the request whose answer was lost has started nothing; undefined if this start
   * is not recorded.
   */
  readonly removal: string | undefined;
  /** Records the intent. @throws EarlierStartError, or AmbiguousStartError if an earlier run may have made this start. */
  before(): Promise<void>;
  /** Records that the platform has accepted the start. Must be called before anything else is done. */
  accepted(id: string, answer?: StartAnswer): Promise<void>;
  discard(why: "failed" | "unknown"): Promise<void>;
  /**
   * Records that the program adopts this id, and starts nothing. This answers an earlier start that got no answer.
   * @param begin when the job began, by this machine's clock; milliseconds since the epoch.
   */
  settle(id: string, begin?: number): Promise<void>;
}

/**
 * The largest difference, in milliseconds, by which a job may seem to begin before its request. A platform rounds
 * times, and has several machines.
 */
export const beginTolerance = 60_000;

export interface StartAnswer {
  /**
   * False if the platform may have accepted the request without an answer. The result is then kept as if the platform
   * had accepted it. Default true.
   */
  isAnswered?: boolean;
  /** The time of the answer by the platform's clock, in milliseconds since the epoch. */
  platformTime?: number | undefined;
}

/** An earlier run has already made this start, and the state does not have its result. Nothing was sent. */
export class EarlierStartError extends Error {
  constructor(
    readonly id: string,
    /** When the request was about to be sent, by the clock of the machine that sent it; milliseconds since the epoch. */
    readonly intendedAt: number,
    readonly acceptedAt: number | undefined,
    /**
     * The earliest time at which it can have begun, by the platform's clock; undefined if the platform gave no time.
     */
    readonly earliestBegin: number | undefined,
    readonly by: "an earlier run" | "this run",
  ) {
    super(`started before: ${id}`);
  }
}
