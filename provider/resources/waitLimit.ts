import { formatDuration, parseDuration } from "../support/duration";
import type { Context } from "./lifecycle";

/** How long one run waits. */
export interface WaitLimit {
  /** As given: a Go duration; where the engine's own limit is the shorter one, that one, with its name. */
  waitTimeout: string;
  /** Milliseconds since the epoch. */
  deadline: number;
}

const defaultWaitTimeout = "30m";

/** The limit of a wait that begins now. */
export function waitLimit(
  { waitTimeout = defaultWaitTimeout }: { waitTimeout?: string },
  { clock, timeLimit = Number.POSITIVE_INFINITY }: Context,
): WaitLimit {
  const wanted = parseDuration(waitTimeout) ?? 0;
  return timeLimit < wanted
    ? { waitTimeout: `${formatDuration(timeLimit)}, of customTimeouts`, deadline: clock.now() + timeLimit }
    : { waitTimeout, deadline: clock.now() + wanted };
}
