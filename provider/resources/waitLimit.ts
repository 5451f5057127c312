import { waitTimeout as longestWait } from "../definitions/rules";
import type { GivenSettings } from "../settings/settings";
import { RateLimitError, type RequestError } from "../support/errors";
import { Deadline } from "../support/time/deadline";
import { formatDuration, parseDuration } from "../support/time/duration";
import { words } from "../support/words";
import type { Context } from "./lifecycle";

/** The time limit of the wait in one run. */
export interface WaitLimit {
  /** The name by which the user sets the limit. */
  name: string;
  /** The limit as a text: the given Go duration, or the host's own limit with its name if that limit is shorter. */
  time: string;
  deadline: Deadline;
}

/** The input of every resource that waits. */
export interface WaitInputs {
  waitTimeout?: string;
}

/** Returns the limit of a wait that begins now. */
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

/**
 * Returns how many polls of a wait may fail in a row. A limit whose end the platform names is no fault: it does not end
 * a wait before the deadline, unless the user has set `maxRetries`.
 */
export function maxFailedPolls(failure: RequestError, { maxRetries, waitsOutLimits }: GivenSettings): number {
  const isLimit = failure instanceof RateLimitError && (failure.retryAfter ?? 0) > 0;
  return isLimit && waitsOutLimits ? Number.POSITIVE_INFINITY : maxRetries;
}
