import { awaitPauseOrCancellation } from "../abort";
import type { Clock } from "./clock";
import type { Deadline } from "./deadline";

/** Times are milliseconds. */
export interface RetryRule {
  /** Returns undefined if the error is final. @param retries the number of attempts so far, minus one. */
  pauseAfter(error: unknown, retries: number): number | undefined;
  /** An error is final if the pause after it would end after the deadline. */
  deadline?: Deadline | undefined;
  /** Called after each failed attempt. `pause` is undefined if no attempt follows. */
  onFailure?(error: unknown, pause: number | undefined): void;
  clock: Pick<Clock, "sleep">;
  signal: AbortSignal;
}

/** @throws the error of the last attempt; RunCancelledError if the signal aborts a pause. */
export async function retry<T>(attempt: (retries: number) => Promise<T>, rule: RetryRule): Promise<T> {
  for (let retries = 0; ; retries++) {
    try {
      return await attempt(retries);
    } catch (error) {
      await pauseOrGiveUp(error, retries, rule);
    }
  }
}

/** @throws the error of the attempt if it is final. */
export async function pauseOrGiveUp(error: unknown, retries: number, rule: RetryRule): Promise<void> {
  const wanted = rule.pauseAfter(error, retries);
  const pause = wanted === undefined || rule.deadline?.allows(wanted) === false ? undefined : wanted;
  rule.onFailure?.(error, pause);
  if (pause === undefined) {
    throw error;
  }
  await awaitPauseOrCancellation(rule.clock.sleep(pause, rule.signal));
}
