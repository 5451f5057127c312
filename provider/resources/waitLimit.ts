import { parseDuration } from "../support/duration";
import type { Context } from "./lifecycle";

/** How long one run waits. */
export interface WaitLimit {
  /** As given: a Go duration. */
  waitTimeout: string;
  /** Milliseconds since the epoch. */
  deadline: number;
}

const defaultWaitTimeout = "30m";

/** The limit of a wait that begins now. */
export function waitLimit(
  { waitTimeout = defaultWaitTimeout }: { waitTimeout?: string },
  { clock }: Context,
): WaitLimit {
  return { waitTimeout, deadline: clock.now() + (parseDuration(waitTimeout) ?? 0) };
}
