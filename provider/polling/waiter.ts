import { interruptibleRest } from "../support/abort";
import { InterruptedError, isTransient, type RequestError, TimeoutError } from "../support/errors";
import type { Clock } from "../support/time/clock";
import type { Deadline } from "../support/time/deadline";
import { backoff, delays } from "../support/time/delays";
import { type Forecast, forecast, type Observation } from "./forecast";
import { nextRest, type Prior } from "./pacing";

export type PollResult<T> = { done: true; value: T } | NotDone;

export interface NotDone {
  done: false;
  progress?: number | undefined;
  /**
   * The number of finished pages. It serves as progress if `progress` is missing and the prior has a number of pages.
   */
  pages?: number | undefined;
  /** The time since the job began, if the poll tells it. Milliseconds. */
  age?: number | undefined;
  /** The longest time until the next poll, in milliseconds, if the state that was seen should change soon. */
  pollWithin?: number | undefined;
  /** The shortest time until the next poll, in milliseconds, if the platform names it. */
  retryAfter?: number | undefined;
}

/** The status of a wait, for the display. Times are milliseconds. */
export interface WaitStatus {
  /** The time since the job began. */
  elapsed: number;
  progress: number | undefined;
  remaining: number | undefined;
  /** True if the last poll failed and the wait continues. */
  failing: boolean;
}

const { shortest, longest } = delays.poll;

interface Seen extends NotDone {
  failure?: RequestError;
  /** True if the failure is a limit that the wait sits out. */
  isSatOut?: boolean;
}

type PollOutcome<T> = { done: true; value: T } | Seen;

export interface Wait<T> {
  /** Polls once. A poll must end by the deadline, but for one that begins after it: that one is late. */
  poll: (isLate: boolean) => Promise<PollResult<T>>;
  /** The time since the job began, if it is known before the first poll. Milliseconds. */
  age?: number | undefined;
  deadline: Deadline;
  prior?: Prior | undefined;
  /**
   * Returns how many polls in a row may fail like the last one. One more failure ends the wait. Called at each
   * transient failure.
   */
  maxFailedPolls: (failure: RequestError) => number;
  signal: AbortSignal;
  clock: Clock;
  /** Returns a random number from 0 to below 1. Default: `Math.random`. */
  random?: () => number;
  onStatus: (status: WaitStatus) => void;
}

/**
 * Polls at once, and then again and again until the job is done. After a transient fault the rest doubles each time, and
 * is at least as long as the platform asks for.
 * @returns the value of the last result; undefined if a poll that began after the deadline saw the job under way. A wait
 * never ends without that poll: the machine may have slept, and the job be done for long.
 * @throws InterruptedError as soon as the signal aborts. Throws an error of `poll` at once if it is not transient, or if
 * the platform asks for a rest beyond the deadline; else when more than `maxFailedPolls` polls in a row have failed. A
 * failure for which that is `Infinity` is not counted, and the wait rests as long as the platform asks.
 */
export async function waitUntilDone<T>(wait: Wait<T>): Promise<T | undefined> {
  const { deadline, signal, clock, prior, random = Math.random } = wait;
  const waitingSince = clock.monotonic();
  const beginOf = (age: number | undefined, now: number) => (age === undefined ? undefined : now - age);
  const knownBegin = beginOf(wait.age, waitingSince);
  const observations: Observation[] = [];
  let began: number | undefined;
  let failures = 0;
  for (;;) {
    if (signal.aborted) {
      throw new InterruptedError();
    }
    const isLate = deadline.hasPassed;
    const seen = await pollOnce(wait, failures, isLate);
    if (seen.done) {
      return seen.value;
    }
    const now = clock.monotonic();
    began = [knownBegin, beginOf(seen.age, now), began].find((time) => time !== undefined && time <= waitingSince);
    const elapsed = now - (began ?? waitingSince);
    // A limit that the wait sits out says nothing about the platform's health.
    if (!seen.isSatOut) {
      failures = seen.failure ? failures + 1 : 0;
    }
    const progress = seen.progress ?? progressByPages(seen.pages, prior);
    if (!seen.failure) {
      // A job in a queue may show no progress. One that is seen to move later began to move after this poll.
      observations.push({ at: now, progress: progress ?? observations.at(-1)?.progress ?? 0 });
    }
    wait.onStatus({
      elapsed,
      progress: seen.progress,
      remaining: remainingTime(forecast(observations, began), now),
      failing: seen.failure !== undefined,
    });
    if (isLate && seen.failure === undefined) {
      return undefined;
    }
    const left = Math.max(0, deadline.left);
    const { retryAfter: asked = 0 } = seen.failure ?? seen;
    if (seen.failure !== undefined && asked > left) {
      throw seen.failure;
    }
    const paced = nextRest({ now, waitingSince, began, observations, prior, random });
    const afterFailure = seen.isSatOut ? 0 : backoff(delays.failedPoll, failures - 1);
    const planned = seen.failure ? afterFailure : Math.min(paced, seen.pollWithin ?? longest);
    await interruptibleRest(clock.sleep(restBefore(left, Math.max(shortest, asked, planned), isLate), signal));
  }
}

/** The next poll comes no later than the deadline, and right then if it would come shortly before it. */
function restBefore(left: number, planned: number, isLate: boolean): number {
  return isLate || planned < left - shortest ? planned : left;
}

async function pollOnce<T>(
  { poll, deadline, maxFailedPolls }: Wait<T>,
  failures: number,
  isLate: boolean,
): Promise<PollOutcome<T>> {
  try {
    return await poll(isLate);
  } catch (error) {
    if (error instanceof TimeoutError && deadline.hasPassed && !isLate) {
      // The deadline cut this poll short. This is no failure of the platform, and the late poll follows.
      return { done: false };
    }
    if (isTransient(error)) {
      const most = maxFailedPolls(error);
      if (failures < most) {
        return { done: false, failure: error, isSatOut: most === Number.POSITIVE_INFINITY };
      }
    }
    throw error;
  }
}

function progressByPages(pages: number | undefined, prior: Prior | undefined): number | undefined {
  return pages !== undefined && prior?.pages ? Math.min(1, pages / prior.pages) : undefined;
}

function remainingTime(expected: Forecast | undefined, now: number): number | undefined {
  return expected && Math.max(0, expected.from + expected.remaining - now);
}
