import { waitTimeout as longestWait } from "../definitions/rules";
import type { CallOptions, ExportJob } from "../platform/client";
import type { Prior } from "../polling/pacing";
import { type NotDone, type PollResult, type WaitStatus, waitUntilDone } from "../polling/waiter";
import type { PlatformSettings } from "../settings/settings";
import { RateLimitError, type RequestError, WaitTimeoutError } from "../support/errors";
import type { Clock } from "../support/time/clock";
import { Deadline } from "../support/time/deadline";
import { formatDuration, formatProgress, parseDuration } from "../support/time/duration";
import { words } from "../support/words";
import type { Context } from "./lifecycle";

export interface WaitLimit {
  name: string;
  /** The limit as a text: the given Go duration, or the host's own limit with its name if that limit is shorter. */
  time: string;
  deadline: Deadline;
}

export interface WaitInputs {
  waitTimeout?: string;
}

export function waitLimit(
  { waitTimeout = longestWait.default }: WaitInputs,
  { clock, timeLimit }: Pick<Context, "clock" | "timeLimit">,
): WaitLimit {
  const name = words.name("waitTimeout");
  const wanted = parseDuration(waitTimeout) ?? 0;
  return timeLimit !== undefined && timeLimit.duration < wanted
    ? {
        name,
        time: `${formatDuration(timeLimit.duration)}, of ${timeLimit.name}`,
        deadline: Deadline.in(timeLimit.duration, clock),
      }
    : { name, time: waitTimeout, deadline: Deadline.in(wanted, clock) };
}

export const unseen = "not seen yet";

/** Returns the time since a saved time, by this machine's clock; never negative, since somebody may have set the clock. */
export function timeSince(saved: string | undefined, clock: Pick<Clock, "now">): number | undefined {
  return saved === undefined ? undefined : Math.max(0, clock.now() - Date.parse(saved));
}

export interface AwaitedJob<Answer> {
  ask(options: CallOptions): Promise<Answer>;
  /** Takes over an answer. @throws if the job has failed, or is not the right one. */
  see(answer: Answer): PollResult<true>;
  /** Returns what to do about an error that means nothing yet; undefined for any other error. */
  excuse?(error: unknown): NotDone | undefined;
  /** False as long as nothing confirms the job: then an error of the first look ends the wait. */
  isConfirmed(): boolean;
  /** The time since the job began, if it is known before the first look. Milliseconds. */
  age: number | undefined;
  prior?: Prior | undefined;
  name: string;
  status(): string;
  about(): Part[];
}

/**
 * Waits until a job has ended, and shows on the resource's row how it goes.
 * @returns true if the first look found the job ended.
 * @throws WaitTimeoutError after the limit, if a last look saw the job under way.
 */
export async function waitForJob<Answer extends { status: string }>(
  job: AwaitedJob<Answer>,
  { name, time, deadline }: WaitLimit,
  context: Context,
): Promise<boolean> {
  const { clock, signal } = context;
  let isFirst = true;

  async function poll(isLate: boolean): Promise<PollResult<true>> {
    // A failed look is repeated by the wait or by the client, and not by both.
    const maxRetries = isLate || job.isConfirmed() ? 0 : undefined;
    const options = { ...(!isLate && { deadline }), signal, maxRetries };
    let answer: Answer;
    try {
      answer = await job.ask(options);
    } catch (error) {
      const excused = job.excuse?.(error);
      if (excused === undefined) {
        throw error;
      }
      return excused;
    }
    return job.see(answer);
  }

  const ended = await waitUntilDone({
    poll,
    age: job.age,
    prior: job.prior,
    deadline,
    maxFailedPolls: (failure) => (job.isConfirmed() ? maxFailedPolls(failure, context.settings()) : 0),
    signal,
    clock,
    onStatus: (status) => {
      isFirst = false;
      context.status(waitText(job.status(), status, ...job.about()));
    },
  });
  if (!ended) {
    throw new WaitTimeoutError({
      happened: `${job.name} was still "${job.status()}" when ${name} (${time}) ended`,
      remedy: `run \`${words.run}\` again, with a longer ${name} if the job needs it.`,
    });
  }
  return isFirst;
}

/**
 * Returns how many polls of a wait may fail in a row. A limit whose end the platform names is no fault: it does not end
 * a wait before the deadline, unless the user has set `maxRetries`.
 */
export function maxFailedPolls(failure: RequestError, { maxRetries, waitsOutLimits }: PlatformSettings): number {
  const isLimit = failure instanceof RateLimitError && (failure.retryAfter ?? 0) > 0;
  return isLimit && waitsOutLimits ? Number.POSITIVE_INFINITY : maxRetries;
}

type Part = string | undefined;

/**
 * Describes a wait in one line. A usual terminal cuts the line after about 18 characters. So the trouble, the progress
 * and the time left come first. Without progress, the status and the elapsed time come first.
 */
function waitText(status: string, { elapsed, progress, remaining, failing }: WaitStatus, ...about: Part[]): string {
  const trouble = failing ? "no answer, retrying" : undefined;
  return joinParts(trouble, formatProgress(progress, remaining), status, `${seconds(elapsed)} elapsed`, ...about);
}

export function endText(status: string, elapsed: number | undefined, ...about: Part[]): string {
  return joinParts(elapsed === undefined ? status : `${status} in ${seconds(elapsed)}`, ...about);
}

function joinParts(...parts: Part[]): string {
  return parts.filter((part) => part !== undefined).join(", ");
}

function seconds(milliseconds: number): string {
  return formatDuration(Math.max(1_000, milliseconds));
}

/** Describes a failed job with everything that the platform says about it: any field may have the reason. */
export function failureOf(
  job: string,
  { status, error, otherFields = [] }: Pick<ExportJob, "status"> & Partial<Pick<ExportJob, "error" | "otherFields">>,
): { happened: string; told: readonly string[] } {
  const silent = otherFields.length === 0 ? "the platform does not say why" : "the platform gives details below";
  const word = status.toLowerCase() === "failed" ? "" : `, with the status "${status}"`;
  return { happened: `${job} failed${word}: ${error ?? silent}`, told: otherFields };
}
