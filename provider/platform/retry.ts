import { backoff, rests } from "../support/time/rests";
import type { Attempt } from "./connection";

/**
 * Returns true if one more attempt is safe. A request that may be repeated by the API text is repeated after any
 * transient fault. Any other request is repeated only if it certainly was not accepted: no connection was made, 429, or
 * 503 with Retry-After (the docs name the case of 503 as an assumption).
 */
export function mayRetry(repeatable: boolean, attempt: Attempt, retryAfter: number | undefined): boolean {
  if (attempt.kind === "broken") {
    return !attempt.final && (repeatable || !attempt.sent);
  }
  if (attempt.status === 429) {
    return true;
  }
  return repeatable
    ? attempt.status === 408 || attempt.status >= 500
    : attempt.status === 503 && retryAfter !== undefined;
}

/**
 * Returns the milliseconds before retry number `retry` (from 0): the time that the platform asks for, else a random
 * part of a bound that doubles with each retry.
 */
export function retryDelay(retry: number, retryAfter: number | undefined, random: () => number): number {
  return retryAfter ?? random() * backoff(rests.repeat, retry);
}

/**
 * Milliseconds before retry number `retry` (from 0) while a limit is waited out: at least half of a bound that doubles, also
 * where the platform asks for less. It asks all who share the limit to come back at the same time.
 */
export function limitDelay(retry: number, retryAfter: number | undefined, random: () => number): number {
  const bound = backoff(rests.limit, retry);
  return Math.max(retryAfter ?? 0, bound * (0.5 + random() / 2));
}

/**
 * Reads a Retry-After header: seconds, or an HTTP date. A date is compared with the date of the answer, so that a wrong
 * clock of this machine does not matter.
 * @returns milliseconds from now, never negative; undefined if there is no header or it cannot be understood.
 */
export function parseRetryAfter(header: string | undefined, answerTime: number): number | undefined {
  const text = header?.trim() ?? "";
  if (/^\d{1,9}(\.\d+)?$/.test(text)) {
    return Number(text) * 1_000;
  }
  const time = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : Math.max(0, time - answerTime);
}
