import type { AtMostOnceGuard } from "../platform/transport";

/**
 * The record of one request that must not be repeated. The record begins before the request is sent, and ends when the
 * state has the result of the request. The journal stores the record. If a run is killed, the next run finds the
 * record, and does not send the request again.
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
   * Records that the platform has accepted the start. The caller must call this method at once after the platform's
   * answer, because a crash before this record would lose the job's id.
   */
  accepted(id: string, answer?: StartAnswer): Promise<void>;
  discard(why: "failed" | "unknown"): Promise<void>;
  /**
   * Records that the program adopts the job with this id. Removes the record of each earlier start that got no answer
   * and may have created this job.
   * @param begin the time at which the job began, in milliseconds since the epoch by this machine's clock.
   */
  adopted(id: string, begin?: number): Promise<void>;
}

/**
 * A job may seem to begin up to this time, in milliseconds, before the request that started it, because a platform
 * rounds times, and its machines have different clocks.
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
 * This error means that an earlier run or this run has already started this job, and that the state does not have the
 * job. The request was not sent again.
 */
export class EarlierStartError extends Error {
  constructor(
    readonly id: string,
    /** The time just before the request was sent, in milliseconds since the epoch by the sending machine's clock. */
    readonly intendedAt: number,
    readonly acceptedAt: number | undefined,
    /**
     * The earliest time at which the job can have begun, by the platform's clock. It is undefined if the platform gave
     * no time.
     */
    readonly earliestBegin: number | undefined,
    readonly by: "an earlier run" | "this run",
  ) {
    super(`started before: ${id}`);
  }
}
