import type { AtMostOnceGuard } from "../platform/transport";

/**
 * The record of one request that must not be repeated. The record begins before the request is sent, and ends when the
 * state has the result of the request. The journal stores the record. After a killed run, the next run then uses the
 * result, and does not send the request again.
 */
export interface PendingStart extends AtMostOnceGuard {
  /**
   * The name of this start's entry in the journal. The state repeats this name. A later call with such a state proves
   * that the engine has saved the result.
   */
  readonly entry: string | undefined;
  /**
   * A part of an error about a lost answer: it names the files that a user must remove if the request had no effect. It
   * is undefined if the journal has no record of this start.
   */
  readonly removal: string | undefined;
  /**
   * Records the intent to send the request.
   * @throws EarlierStartError if an earlier run has made this start; AmbiguousStartError if an earlier run may have
   * made it.
   */
  before(): Promise<void>;
  /**
   * Records that the platform has accepted the start. The caller must call this method before it does anything else.
   */
  accepted(id: string, answer?: StartAnswer): Promise<void>;
  discard(why: "failed" | "unknown"): Promise<void>;
  /**
   * Records that the program adopts the job with this id. An earlier start without an answer may have created this job:
   * the records of such starts are removed.
   * @param begin the time at which the job began, by this machine's clock; milliseconds since the epoch.
   */
  adopted(id: string, begin?: number): Promise<void>;
}

/**
 * The platform's answers may show a begin of a job that is up to this time (in milliseconds) before its request,
 * because a platform rounds times, and its machines have different clocks.
 */
export const beginTolerance = 60_000;

export interface StartAnswer {
  /**
   * False if no answer came, but the platform may have accepted the request. The start then counts as accepted.
   * Default: true.
   */
  isAnswered?: boolean;
  /** The time of the answer by the platform's clock, in milliseconds since the epoch. */
  platformTime?: number | undefined;
}

/**
 * The error if this start was made before, by an earlier run or by this one, and the state does not have its result.
 * The start was not sent again.
 */
export class EarlierStartError extends Error {
  constructor(
    readonly id: string,
    /** The time at which the request was about to be sent, by the sender's clock; milliseconds since the epoch. */
    readonly intendedAt: number,
    readonly acceptedAt: number | undefined,
    /**
     * The earliest time at which the job can have begun, by the platform's clock; undefined if the platform gave no
     * time.
     */
    readonly earliestBegin: number | undefined,
    readonly by: "an earlier run" | "this run",
  ) {
    super(`started before: ${id}`);
  }
}
