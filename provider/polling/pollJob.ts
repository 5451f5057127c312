import { awaitPauseOrCancellation, interruptionError } from "../support/abort";
import {
  asDocsPlatformError,
  type DocsPlatformError,
  isTransient,
  RateLimitError,
  RequestTimeoutError,
  WaitTimeoutError,
} from "../support/errors";
import type { Clock } from "../support/time/clock";
import type { Deadline } from "../support/time/deadline";
import { calculateBackoffDelay, delays } from "../support/time/delays";
import { words } from "../support/words";
import { nextPause, type PreviousJob } from "./pacing";
import {
  addAnswerToHistory,
  describeAnswerCounts,
  formatWaitStatusLine,
  type JobAnswer,
  type PollHistory,
  type ProgressTextPart,
} from "./pollHistory";

/**
 * `within` is set if the state will probably change soon. It is the longest pause before the next poll, in
 * milliseconds.
 */
export type AnswerVerdict<State> = { state: State } & (
  | { is: "done" }
  | { is: "goingOn"; within?: number }
  | { is: "failed"; problem: DocsPlatformError }
);

export interface JobToPoll<State, Answer extends JobAnswer> extends Pick<PollHistory, "isConfirmed"> {
  /** The job's name in error texts, such as `export job 7 of docs.example.com`. */
  name: string;
  initial: State;
  /** The time since the job was accepted, in milliseconds. Undefined if it is unknown. */
  age: number | undefined;
  prior?: PreviousJob | undefined;
  ask(options: { deadline?: Deadline; signal: AbortSignal; maxRetries: number | undefined }): Promise<Answer>;
  /** @param age the time since the job was accepted, at the moment of this answer. */
  judge(state: State, answer: Answer | DocsPlatformError, age: number | undefined): AnswerVerdict<State>;
  /** The parts of the line that the display shows. */
  describe(state: State): readonly [status: string, ...about: ProgressTextPart[]];
}

export interface WaitLimit {
  name: string;
  /** The limit as a text, such as `30m`. If the host has a shorter limit, the text also names the host's limit. */
  time: string;
  deadline: Deadline;
}

interface Surroundings {
  clock: Clock;
  signal: AbortSignal;
  settings(): { maxRetries: number; waitsOutLimits: boolean };
  status(text: string): void;
}

const { shortest, longest } = delays.poll;

/**
 * Polls until a verdict is final. After its deadline, the wait polls once more: the machine may have slept, and the job
 * may have ended long ago. A failure is never thrown, but is a part of the result.
 * @param random returns a number from 0 to below 1.
 */
export async function pollJob<State, Answer extends JobAnswer>(
  job: JobToPoll<State, Answer>,
  limit: WaitLimit,
  { clock, signal, settings, status }: Surroundings,
  random = Math.random,
): Promise<{ state: State; seen: PollHistory; problem?: DocsPlatformError }> {
  const { deadline } = limit;
  const { age, isConfirmed } = job;
  const waitingSince = clock.monotonic();
  let state = job.initial;
  let seen: PollHistory = { waitingSince, observations: [], polls: 0, answers: new Map(), isConfirmed };
  let failuresInARow = 0;
  try {
    for (;;) {
      if (signal.aborted) {
        throw interruptionError(signal);
      }
      const isLate = deadline.hasPassed;
      // A failed poll is repeated by the wait or by the client, never by both.
      const maxRetries = isLate || seen.isConfirmed ? 0 : undefined;
      const answer = await job.ask({ ...(!isLate && { deadline }), signal, maxRetries }).catch(asDocsPlatformError);
      if (answer instanceof RequestTimeoutError && !isLate && deadline.hasPassed) {
        // The deadline ended this poll early, so the platform is not at fault. One last poll follows.
        continue;
      }
      const now = clock.monotonic();
      const verdict = job.judge(state, answer, age === undefined ? undefined : age + now - waitingSince);
      const isFailure = verdict.is === "failed";
      state = verdict.state;
      seen = addAnswerToHistory(seen, answer, isFailure, { monotonic: now, time: clock.now() }, job);
      if (verdict.is === "done") {
        return { state, seen };
      }
      const left = Math.max(0, deadline.left);
      const asked = ("retryAfter" in answer ? answer.retryAfter : undefined) ?? 0;
      let planned: number;
      if (verdict.is === "failed") {
        const allowed = seen.isConfirmed ? allowedFailures(verdict.problem, settings()) : 0;
        if (failuresInARow >= allowed || asked > left) {
          return { state, seen, problem: verdict.problem };
        }
        // A rate limit is no fault of the platform, so it does not count as a failed poll.
        planned = allowed === Number.POSITIVE_INFINITY ? 0 : calculateBackoffDelay(delays.failedPoll, failuresInARow++);
      } else {
        failuresInARow = 0;
        planned = Math.min(nextPause({ ...seen, now, prior: job.prior, random }), verdict.within ?? longest);
      }
      status(formatWaitStatusLine(job.describe(state), seen, isFailure, now));
      if (isLate && !isFailure) {
        return { state, seen, problem: timeIsUp(job.name, job.describe(state)[0], limit, seen) };
      }
      const wanted = Math.max(shortest, asked, planned);
      // If this pause would end after the deadline or shortly before it, the next poll comes at the deadline.
      const pause = isLate || wanted < left - shortest ? wanted : left;
      await awaitPauseOrCancellation(clock.sleep(pause, signal));
    }
  } catch (error) {
    return { state, seen, problem: asDocsPlatformError(error) };
  }
}

/**
 * Returns the largest number of failures in a row after which a wait continues. For a rate limit with a known end, the
 * number is infinite, unless the user has set `maxRetries`.
 */
function allowedFailures(
  problem: DocsPlatformError,
  { maxRetries, waitsOutLimits }: ReturnType<Surroundings["settings"]>,
): number {
  const isLimit = problem instanceof RateLimitError && (problem.retryAfter ?? 0) > 0;
  return isLimit && waitsOutLimits ? Number.POSITIVE_INFINITY : isTransient(problem) ? maxRetries : 0;
}

function timeIsUp(job: string, status: string, { name, time }: WaitLimit, seen: PollHistory): WaitTimeoutError {
  return new WaitTimeoutError({
    happened: `${job} was still "${status}" when ${name} (${time}) ended, after ${describeAnswerCounts(seen)}`,
    remedy: `run \`${words.run}\` again, with a longer ${name} if the job needs it.`,
  });
}
