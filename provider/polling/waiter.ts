import type { Clock } from "../support/clock";
import { InterruptedError, isTransient, type RequestError, TimeoutError } from "../support/errors";
import { forecast, type Observation } from "./forecast";
import { longestRest, nextRest, type Prior, shortestRest } from "./pacing";

/** What one look at the awaited thing tells. */
export type PollResult<T> = { done: true; value: T } | NotDone;

export interface NotDone {
  done: false;
  /** True where it stands in a queue. */
  queued?: boolean;
  /** From 0 to 1. */
  progress?: number | undefined;
  /** How many pages are done: progress, where none is told and the prior knows how many there were. */
  pages?: number | undefined;
  /** What was seen is about to change: the next look comes within this many milliseconds. */
  pollWithin?: number | undefined;
}

/** How a wait stands, for whoever shows it. Times are milliseconds. */
export interface WaitStatus {
  /** Since the awaited thing began. */
  elapsed: number;
  /** From 0 to 1. */
  progress: number | undefined;
  /** What the rest should take, by the speed seen so far. */
  expectedRest: number | undefined;
  /** True where the last look failed, and is tried again. */
  failing: boolean;
}

/** What to show of a wait that is failing. */
export const tryingAgain = "the platform does not answer, trying again";

/** A result, or a failure that the wait survives. */
type PollOutcome<T> = { done: true; value: T } | (NotDone & { failure?: RequestError });

export interface Wait<T> {
  /** Looks once; must end by the deadline. */
  probe: () => Promise<PollResult<T>>;
  /** When the awaited thing began, where that is known; by default now. Milliseconds since the epoch. */
  since?: number | undefined;
  /** Milliseconds since the epoch. */
  deadline: number;
  prior?: Prior | undefined;
  /** How many looks in a row may fail with what passes by itself, before the wait does; asked at each failure. */
  maxFailedPolls: () => number;
  signal: AbortSignal;
  clock: Clock;
  /** From 0 to below 1. Default `Math.random`. */
  random?: () => number;
  onStatus: (status: WaitStatus) => void;
}

/** A look that failed has seen nothing, so it is made again soon; the rest doubles with every further one. Milliseconds. */
const firstRestAfterFailure = 2_000;

/**
 * Looks at once, then again and again until the thing is done. A look that fails with what passes by itself is made again
 * after a rest that doubles each time, and that is no shorter than the platform asks for.
 * @returns the value of the result that ended it, or undefined where the deadline came first; the last look is placed
 * just before the deadline, so that a job which ends in the last moments is seen.
 * @throws InterruptedError as soon as the signal aborts; whatever else the probe throws, at once where it does not pass by
 * itself or cannot be tried again by the deadline, else when more than `maxFailedPolls` failed in a row.
 */
export async function waitUntilDone<T>(wait: Wait<T>): Promise<T | undefined> {
  const { deadline, signal, clock, prior, random = Math.random } = wait;
  const begin = clock.now();
  const since = wait.since !== undefined && wait.since < begin ? wait.since : begin;
  const observations: Observation[] = [];
  let sawQueue = false;
  let failures = 0;
  for (;;) {
    if (signal.aborted) {
      throw new InterruptedError();
    }
    const seen = await look(wait, failures);
    if (seen.done) {
      return seen.value;
    }
    const now = clock.now();
    const elapsed = now - since;
    failures = seen.failure ? failures + 1 : 0;
    sawQueue ||= seen.queued ?? false;
    const progress = seen.progress ?? progressByPages(seen.pages, prior);
    if (progress !== undefined) {
      observations.push({ elapsed, progress });
    }
    wait.onStatus({
      elapsed,
      progress: seen.progress,
      expectedRest: expectedRest(observations, elapsed),
      failing: seen.failure !== undefined,
    });
    const left = deadline - now;
    const untilLastLook = Math.max(shortestRest, left - shortestRest);
    const asked = seen.failure?.retryAfter ?? 0;
    if (left <= shortestRest || asked > untilLastLook) {
      return endAtDeadline(seen.failure);
    }
    const planned = seen.failure
      ? Math.max(asked, restAfter(failures))
      : Math.min(nextRest({ elapsed, sawQueue, observations, prior, random }), seen.pollWithin ?? longestRest);
    const rest = Math.max(shortestRest, planned);
    // A rest that would end shortly before the last look is made longer, so that the two are one.
    await sleep(clock, rest >= untilLastLook - shortestRest ? untilLastLook : rest, signal);
  }
}

async function look<T>({ probe, deadline, clock, maxFailedPolls }: Wait<T>, failures: number): Promise<PollOutcome<T>> {
  try {
    return await probe();
  } catch (error) {
    if (error instanceof TimeoutError && deadline - clock.now() <= shortestRest) {
      // Cut short by the deadline, it has seen nothing; that is no failure, and the end of the wait says so.
      return { done: false };
    }
    if (isTransient(error) && failures < maxFailedPolls()) {
      return { done: false, failure: error };
    }
    throw error;
  }
}

function progressByPages(pages: number | undefined, prior: Prior | undefined): number | undefined {
  return pages !== undefined && prior?.pages ? Math.min(1, pages / prior.pages) : undefined;
}

function expectedRest(observations: readonly Observation[], elapsed: number): number | undefined {
  const foretold = forecast(observations);
  return foretold && Math.max(0, foretold.from + foretold.rest - elapsed);
}

function restAfter(failures: number): number {
  return Math.min(longestRest, firstRestAfterFailure * 2 ** (failures - 1));
}

function endAtDeadline(failure: RequestError | undefined): undefined {
  if (failure) {
    throw failure;
  }
}

async function sleep(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await clock.sleep(milliseconds, signal);
  } catch {
    throw new InterruptedError();
  }
}
