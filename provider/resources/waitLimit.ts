import { waitTimeout as longestWait } from "../definitions/rules";
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
