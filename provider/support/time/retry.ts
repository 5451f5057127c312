import { interruptiblePause } from "../abort";
import type { Clock } from "./clock";
import type { Deadline } from "./deadline";

/** When a failed attempt is repeated. All times are milliseconds. */
export interface RetryRule {
  /**
   * The pause before the next attempt; undefined if the error is final.
   * @param retries the number of attempts so far, minus one.
   */
  pauseAfter(error: unknown, retries: number): number | undefined;
  /** An error is final if the pause after it would end after the deadline. */
  deadline?: Deadline | undefined;
  /** Called after each failed attempt, with the pause before the next one; undefined if no attempt follows. */
  onFailure?(error: unknown, rest: number | undefined): void;
  clock: Pick<Clock, "sleep">;
  signal: AbortSignal;
}

/** @throws the error of the last attempt; InterruptedError if the signal aborts a rest. */
export async function retry<T>(attempt: (retries: number) => Promise<T>, rule: RetryRule): Promise<T> {
  for (let retries = 0; ; retries++) {
    try {
      return await attempt(retries);
    } catch (error) {
      await pauseOrGiveUp(error, retries, rule);
    }
  }
}

/** Rests after one failed attempt. @throws this error if it is final. */
export async function pauseOrGiveUp(error: unknown, retries: number, rule: RetryRule): Promise<void> {
  const wanted = rule.pauseAfter(error, retries);
  const rest = wanted === undefined || rule.deadline?.allows(wanted) === false ? undefined : wanted;
  rule.onFailure?.(error, rest);
  if (rest === undefined) {
    throw error;
  }
  await interruptiblePause(rule.clock.sleep(rest, rule.signal));
}
