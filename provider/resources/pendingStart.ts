import type { OnceGuard } from "../platform/transport";

/**
 * One request that may not be repeated, from before it is sent until the state has its result. The journal records it,
 * so that the run after a killed run neither loses the result nor sends the request a second time.
 */
export interface PendingStart extends OnceGuard {
  /**
   * The name of its journal entry, which the state keeps. If a later process has a state with this name, the engine has
   * saved the result.
   */
  readonly entry: string | undefined;
  /**
   * The setting that says that a start whose answer was lost has started nothing; undefined if this start is not
   * recorded.
   */
  readonly dismissal: string | undefined;
  /**
   * When an earlier start whose answer was lost was about to be sent, if the user has said that it started nothing;
   * milliseconds since the epoch.
   */
  readonly dismissedStart: number | undefined;
  /**
   * Records the intent.
   * @throws EarlierStartError if an earlier run has already made this start; AmbiguousStartError if an earlier run may
   * have made it.
   */
  before(): Promise<void>;
  /** Records that the platform has accepted the start. Must be called before anything else is done. */
  accepted(id: string, answer?: StartAnswer): Promise<void>;
  /** The record is of no use: it failed, or the platform does not know it. */
  discard(why: "failed" | "unknown"): Promise<void>;
  /**
   * The program uses what has this id in place of a start: one whose answer was lost is settled by it.
   * @param begin its begin by this machine's clock, if it is known; milliseconds since the epoch.
   */
  settle(id: string, begin?: number): Promise<void>;
}

/** How much earlier than its request a job may seem to begin, since a platform rounds times and has several machines; milliseconds. */
export const beginTolerance = 60_000;

/** The platform's answer to a start. */
export interface StartAnswer {
  /** False if it may have accepted, and what was started is kept as if it had. Default true. */
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
    /** When its answer came; undefined if none came, and it is kept as one that was started. */
    readonly acceptedAt: number | undefined,
    /** The earliest time of its begin, by the platform's clock; undefined if the platform told no time. */
    readonly earliestBegin: number | undefined,
    /** True if it was not started: the program had named it. */
    readonly isAdopted: boolean,
    /** True if a state had it until this run. False if only the journal names it. */
    readonly wasSaved: boolean,
  ) {
    super(`started before: ${id}`);
  }
}
