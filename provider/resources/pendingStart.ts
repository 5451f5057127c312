import type { DuplicateSendGuard } from "../platform/transport";

/**
 * The record of a request that must not be sent twice. It is kept until the state has the result. If a run is killed,
 * the next run finds the record in the journal, and does not send the request again.
 */
export interface PendingStart extends DuplicateSendGuard {
  /** The name of the journal entry. If a later call gets a state with this name, the engine has saved the result. */
  readonly entry: string | undefined;
  /** For an error about a lost answer: the journal files that the user must remove if the request had no effect. */
  readonly removal: string | undefined;
  /** @throws AlreadyStartedError or AmbiguousStartError if an earlier run has made, or may have made, this start. */
  before(): Promise<void>;
  /** Records the id. Must be called at once after the platform's answer: a crash before this call would lose the id. */
  accepted(id: string, answer?: AcceptedStart): Promise<void>;
  discard(why: "failed" | "unknown"): Promise<void>;
  /**
   * Removes the record of each earlier start that got no answer and may have created the adopted job.
   * @param begin the time at which the job began: milliseconds since the epoch, by this machine's clock.
   */
  adopted(id: string, begin?: number): Promise<void>;
}

/** In milliseconds. Rounded times and different clocks may make a job seem older than its request. */
export const jobStartClockTolerance = 60_000;

export interface AcceptedStart {
  /** False if no answer came, but the platform may have accepted the request. Default: true. */
  isAnswered?: boolean;
  /** The time of the answer by the platform's clock, in milliseconds since the epoch. */
  platformTime?: number | undefined;
}

/** The job was started before, but is not in the state. The request was not sent again. */
export class AlreadyStartedError extends Error {
  constructor(
    readonly id: string,
    /** The time just before the request was sent, in milliseconds since the epoch by the sending machine's clock. */
    readonly intendedAt: number,
    readonly acceptedAt: number | undefined,
    /**
     * The earliest time at which the job can have begun, by the platform's clock. Undefined if the platform gave no
     * time.
     */
    readonly earliestBegin: number | undefined,
    readonly by: "an earlier run" | "this run",
  ) {
    super(`started before: ${id}`);
  }
}
