import { calculateBackoffDelay, delays } from "../support/time/delays";
import { parseRetryAfter } from "../support/time/parseRetryAfter";
import { headerOf, type RequestResult } from "./connection";
import { endOfYear9999, parseTimestamp } from "./parseTimestamp";

export function retryDelay(retry: number, retryAfter: number | undefined, random: () => number): number {
  return retryAfter ?? random() * calculateBackoffDelay(delays.repeat, retry);
}

/**
 * Returns the pause after a 429, in milliseconds. It is a random time from half of a bound to the whole bound, but at
 * least `retryAfter`. The bound doubles with each retry. If the pause were not random, all clients that share a rate
 * limit would return at the same time.
 */
export function rateLimitDelay(retry: number, retryAfter: number | undefined, random: () => number): number {
  const bound = calculateBackoffDelay(delays.limit, retry);
  return Math.max(retryAfter ?? 0, bound * (0.5 + random() / 2));
}

/**
 * Returns the pause that an answer asks for, in milliseconds. A date in the answer is compared with the platform's own
 * clock. Many platforms send the reset time of a rate limit with each answer. The reset time counts only if the limit
 * is used up.
 */
export function readRetryPause(result: RequestResult, receivedAt: number): number | undefined {
  const now = dateOf(result) ?? receivedAt;
  const asked = parseRetryAfter(headerOf(result, "retry-after"), now);
  return asked ?? (isUsedUp(result) ? limitReset(result, now) : undefined);
}

/** The names of headers about a rate limit begin with these texts. */
const limitHeaders = ["ratelimit", "x-ratelimit", "x-rate-limit"];

function isUsedUp(result: RequestResult): boolean {
  const remaining = /(?:^|[;,\s])(?:remaining|r)=0(?:$|[;,\s])/.test(headerOf(result, "ratelimit") ?? "");
  const isZero = (name: string) => headerOf(result, `${name}-remaining`)?.trim() === "0";
  return (result.kind === "answer" && result.status === 429) || remaining || limitHeaders.some(isZero);
}

/** A smaller number counts the seconds from now. Any other number counts the seconds since the epoch. */
const firstEpochSecond = 1e9;

/**
 * Returns the milliseconds until a limit is reset. Some platforms send the time of the reset, and others send the
 * number of seconds until the reset.
 */
function limitReset(result: RequestResult, now: number): number | undefined {
  const [, rest] = /(?:^|[;,\s])(?:reset|t)=(\d{1,9})(?:$|[;,\s])/.exec(headerOf(result, "ratelimit") ?? "") ?? [];
  const texts = [rest, ...limitHeaders.map((name) => headerOf(result, `${name}-reset`))];
  const text = texts.find((value) => value !== undefined)?.trim() ?? "";
  const time = parseTimestamp(text);
  return /^\d+(\.\d+)?$/.test(text) && Number(text) < firstEpochSecond
    ? Number(text) * 1_000
    : time === undefined
      ? undefined
      : Math.max(0, time - now);
}

export function readPlatformClock(result: RequestResult, sentAt: number, receivedAt: number) {
  const header = dateOf(result);
  if (header === undefined) {
    return { platformTime: receivedAt, clockOffset: 0 };
  }
  // The platform wrote the header after `sentAt` and before `receivedAt`. So the header is compared with the middle of
  // these two times. The header has whole seconds, rounded down, so half a second is added.
  const offset = header + 500 - (sentAt + receivedAt) / 2;
  const uncertainty = 500 + (receivedAt - sentAt) / 2;
  return Math.abs(offset) <= uncertainty + 1_000
    ? { platformTime: receivedAt, clockOffset: 0 }
    : { platformTime: receivedAt + offset, clockOffset: offset };
}

/**
 * Returns the time in the answer's Date header, in milliseconds since the epoch, or undefined without a valid header.
 */
function dateOf(result: RequestResult): number | undefined {
  // `Date.parse` also reads HTTP's obsolete forms of a date.
  const time = Date.parse(headerOf(result, "date") ?? "");
  return time > 0 && time <= endOfYear9999 ? time : undefined;
}
