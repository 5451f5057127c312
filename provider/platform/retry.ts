import type { Attempt } from "./connection";

/** First upper bound of the wait before a retry, in milliseconds; it doubles with each retry. */
const firstBackoff = 500;
export const longestBackoff = 20_000;
/** The same for a limit of uses an hour, of which one comes free every half a minute or once an hour. */
const longestLimitBackoff = 120_000;

/**
 * Whether one more try is safe. What may be repeated by the API text is repeated after any passing fault. What may not
 * is repeated only where it surely was not accepted: no connection was made, 429, and 503 with Retry-After, of which
 * the docs say that it is an assumption.
 */
export function mayRetry(repeatable: boolean, attempt: Attempt, retryAfter: number | undefined): boolean {
  if (attempt.kind === "broken") {
    return repeatable || !attempt.sent;
  }
  if (attempt.status === 429) {
    return true;
  }
  return repeatable
    ? attempt.status === 408 || attempt.status >= 500
    : attempt.status === 503 && retryAfter !== undefined;
}

/** Milliseconds before retry number `retry` (from 0): what the platform asks for, else full jitter under a doubling bound. */
export function retryDelay(retry: number, retryAfter: number | undefined, random: () => number): number {
  return retryAfter ?? random() * Math.min(longestBackoff, firstBackoff * 2 ** retry);
}

/**
 * The same where a limit of uses an hour is waited out, however often: never less than half of a bound that doubles up to
 * two minutes, whatever less the platform asks for.
 */
export function limitDelay(retry: number, retryAfter: number | undefined, random: () => number): number {
  const bound = Math.min(longestLimitBackoff, firstBackoff * 2 ** retry);
  return Math.max(retryAfter ?? 0, bound * (0.5 + random() / 2));
}

/**
 * Reads a Retry-After header: seconds, or an HTTP date, which is compared with the answer's own date, so that a wrong
 * clock on this machine does not matter.
 * @returns milliseconds from now, never negative; undefined where there is none or it says nothing.
 */
export function parseRetryAfter(header: string | undefined, answerTime: number): number | undefined {
  const text = header?.trim() ?? "";
  if (/^\d{1,9}(\.\d+)?$/.test(text)) {
    return Number(text) * 1_000;
  }
  const time = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : Math.max(0, time - answerTime);
}
