import { waitTimeoutField as longestWait } from "../definitions/rules";
import type { AgentJob, ExportJob } from "../platform/client";
import type { WaitLimit } from "../polling/pollJob";
import type { Clock } from "../support/time/clock";
import { Deadline } from "../support/time/deadline";
import { formatDuration, parseDuration } from "../support/time/duration";
import { words } from "../support/words";
import type { OperationContext } from "./lifecycle";

export interface WaitInputs {
  waitTimeout?: string;
}

export function createWaitLimit(
  { waitTimeout = longestWait.default }: WaitInputs,
  { clock, timeLimit }: Pick<OperationContext, "clock" | "timeLimit">,
): WaitLimit {
  const name = words.name("waitTimeout");
  const wanted = parseDuration(waitTimeout) ?? 0;
  return timeLimit === undefined || timeLimit.duration >= wanted
    ? { name, time: waitTimeout, deadline: Deadline.in(wanted, clock) }
    : {
        name,
        time: `${formatDuration(timeLimit.duration)}, of ${timeLimit.name}`,
        deadline: Deadline.in(timeLimit.duration, clock),
      };
}

export const statusNotSeenYet = "not seen yet";

/** In milliseconds by this machine's clock. Never negative, even if somebody has set the clock back. */
export function timeSince(saved: string | undefined, clock: Pick<Clock, "now">): number | undefined {
  return saved === undefined ? undefined : Math.max(0, clock.now() - Date.parse(saved));
}

/** Includes all facts in the platform's answer, because any field may contain the reason of the failure. */
export function describeJobFailure(job: string, { status, error, otherFields = [] }: ExportJob | AgentJob) {
  const silent = otherFields.length === 0 ? "the platform does not say why" : "the platform gives details below";
  const word = status.toLowerCase() === "failed" ? "" : `, with the status "${status}"`;
  return { happened: `${job} failed${word}: ${error ?? silent}`, told: otherFields };
}
