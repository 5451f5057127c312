import { DocsPlatformError } from "../support/errors";
import { formatDuration, formatProgress } from "../support/time/duration";
import { forecastJobEnd, type ProgressObservation } from "./forecast";
import type { PreviousJob } from "./pacing";

/** An answer about a job, as every kind of wait sees it. Times are milliseconds. */
export interface JobAnswer {
  status: string;
  progress?: number | undefined;
  /** The number of pages so far. It replaces a missing `progress` if the last job's number of pages is known. */
  pageCount?: number | undefined;
  /** The job's start by the platform's clock. `platformTime` is the time of the answer by the same clock. */
  startedAt?: number | undefined;
  platformTime?: number | undefined;
  /** The shortest time until the next poll, if the platform asks for one. */
  retryAfter?: number | undefined;
}

/** The answers that a wait has seen so far, as plain data. Points in time are milliseconds of the monotonic clock. */
export interface PollHistory {
  waitingSince: number;
  /** The time at which the job began, if it is known and is not after the beginning of the wait. */
  began?: number | undefined;
  /**
   * The job's begin in milliseconds since the epoch, by this machine's clock. Only the platform's answers can show it.
   */
  beganAt?: number | undefined;
  observations: readonly ProgressObservation[];
  /** The progress in the last answer. */
  progress?: number | undefined;
  polls: number;
  /** Counts each answer. A key is the job's status in quotation marks, or the code of an error. */
  answers: ReadonlyMap<string, number>;
  /** False until an answer confirms that this is the right job. Until then, the first error ends the wait. */
  isConfirmed: boolean;
}

export function addAnswerToHistory(
  seen: PollHistory,
  answer: JobAnswer | DocsPlatformError,
  isFailure: boolean,
  now: { monotonic: number; time: number },
  { age: knownAge, prior }: { age: number | undefined; prior?: PreviousJob | undefined },
): PollHistory {
  const { waitingSince, observations, answers } = seen;
  const isError = answer instanceof DocsPlatformError;
  const facts: Partial<JobAnswer> = isError ? {} : answer;
  const name = isError ? answer.code : `"${answer.status}"`;
  const age = difference(facts.platformTime, facts.startedAt);
  const begins = [difference(waitingSince, knownAge), difference(now.monotonic, age), seen.began];
  const byPages =
    facts.pageCount !== undefined && prior?.pages ? Math.min(1, facts.pageCount / prior.pages) : undefined;
  const share = facts.progress ?? byPages;
  // An answer without progress also adds an observation, with the last known progress or 0. A job in a queue may show
  // no progress. The forecast needs the last poll in the queue, because the work began after this poll.
  const observation = { at: now.monotonic, progress: share ?? observations.at(-1)?.progress ?? 0 };
  return {
    waitingSince,
    began: begins.find((time) => time !== undefined && time <= waitingSince),
    beganAt: difference(now.time, age) ?? seen.beganAt,
    observations: isFailure ? observations : [...observations, observation],
    progress: facts.progress,
    polls: seen.polls + 1,
    answers: new Map(answers).set(name, (answers.get(name) ?? 0) + 1),
    isConfirmed: seen.isConfirmed || !(isError || isFailure),
  };
}

function difference(from: number | undefined, subtracted: number | undefined): number | undefined {
  return from === undefined || subtracted === undefined ? undefined : from - subtracted;
}

/**
 * A text lists at most this many different answers. If a platform writes the progress into the status, every answer is
 * different, and the list would be long.
 */
const mostKinds = 4;

/** For example: `42 answers: 40 "running", 2 "queued"`. */
export function describeAnswerCounts({ polls, answers }: PollHistory): string {
  const kinds = [...answers].sort(([, one], [, other]) => other - one).slice(0, mostKinds);
  const others = kinds.reduce((left, [, count]) => left - count, polls);
  const named = kinds.map(([name, count]) => `${count} ${name}`);
  return `${polls} ${polls === 1 ? "answer" : "answers"}: ${joinParts(...named, others > 0 ? `${others} others` : undefined)}`;
}

/** Undefined if the line has no such part. */
export type ProgressTextPart = string | undefined;

/**
 * A usual terminal cuts the line after about 18 characters. So the line begins with the problem, the progress and the
 * time left. Without progress, it begins with the status and the elapsed time.
 */
export function formatWaitStatusLine(
  [status, ...about]: readonly ProgressTextPart[],
  seen: PollHistory,
  isFailing: boolean,
  now: number,
): string {
  const { waitingSince, began, observations, progress } = seen;
  const expected = forecastJobEnd(observations, began);
  const remaining = expected && Math.max(0, expected.from + expected.remaining - now);
  const trouble = isFailing ? "no answer, retrying" : undefined;
  const elapsed = `${seconds(now - (began ?? waitingSince))} elapsed`;
  return joinParts(trouble, formatProgress(progress, remaining), status, elapsed, ...about);
}

export function finishedWaitText([status, ...about]: readonly ProgressTextPart[], elapsed: number | undefined): string {
  return joinParts(elapsed === undefined ? status : `${status} in ${seconds(elapsed)}`, ...about);
}

function joinParts(...parts: ProgressTextPart[]): string {
  return parts.filter((part) => part !== undefined).join(", ");
}

function seconds(milliseconds: number): string {
  return formatDuration(Math.max(1_000, milliseconds));
}
