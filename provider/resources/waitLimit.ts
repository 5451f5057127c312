import { waitTimeout as longestWait } from "../definitions/rules";
import type { GivenSettings } from "../settings/settings";
import { RateLimitError, type RequestError } from "../support/errors";
import { Deadline } from "../support/time/deadline";
import { formatDuration, parseDuration } from "../support/time/duration";
import type { Context } from "./lifecycle";

/** How long one run waits. */
export interface WaitLimit {
  /** As given: a Go duration; where the host's own limit is the shorter one, that one, with its name. */
  waitTimeout: string;
  deadline: Deadline;
}

/** The limit of a wait that begins now. */
export function waitLimit(
  { waitTimeout = longestWait.default }: { waitTimeout?: string },
  { clock, timeLimit }: Pick<Context, "clock" | "timeLimit">,
): WaitLimit {
  const wanted = parseDuration(waitTimeout) ?? 0;
  return timeLimit !== undefined && timeLimit.duration < wanted
    ? {
        waitTimeout: `${formatDuration(timeLimit.duration)}, of ${timeLimit.name}`,
        deadline: Deadline.in(timeLimit.duration, clock),
      }
    : { waitTimeout, deadline: Deadline.in(wanted, clock) };
}

/**
 * How many polls of a wait may fail in a row. A limit whose end the platform names is no fault: it ends no wait before the
 * deadline, unless the user has said how often to try.
 */
export function maxFailedPolls(failure: RequestError, { maxRetries, waitsOutLimits }: GivenSettings): number {
  const isLimit = failure instanceof RateLimitError && (failure.retryAfter ?? 0) > 0;
  return isLimit && waitsOutLimits ? Number.POSITIVE_INFINITY : maxRetries;
}
