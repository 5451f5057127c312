import { backoff, delays } from "../support/time/delays";
import { parseRetryAfter } from "../support/time/parseRetryAfter";
import { type Attempt, headerOf } from "./connection";

export function retryDelay(retry: number, retryAfter: number | undefined, random: () => number): number {
  return retryAfter ?? random() * backoff(delays.repeat, retry);
}

/**
 * The same while a limit is waited out: at least half of a bound that doubles, since the platform asks all who share
 * the limit to come back at the same time.
 */
export function limitDelay(retry: number, retryAfter: number | undefined, random: () => number): number {
  const bound = backoff(delays.limit, retry);
  return Math.max(retryAfter ?? 0, bound * (0.5 + random() / 2));
}

/** Returns the milliseconds that the platform asks for. A date is compared with the platform's own clock. */
export function retryAfterOf(result: Attempt, receivedAt: number): number | undefined {
  return parseRetryAfter(headerOf(result, "retry-after"), dateOf(result) ?? receivedAt);
}

export function answerTimes(
  result: Attempt,
  sentAt: number,
  receivedAt: number,
): { platformTime: number; clockOffset: number } {
  const header = dateOf(result);
  if (header === undefined) {
    return { platformTime: receivedAt, clockOffset: 0 };
  }
  // The platform wrote the header between sending and receiving, and cut it to a whole second.
  const offset = header + 500 - (sentAt + receivedAt) / 2;
  const uncertainty = 500 + (receivedAt - sentAt) / 2;
  return Math.abs(offset) <= uncertainty + 1_000
    ? { platformTime: receivedAt, clockOffset: 0 }
    : { platformTime: receivedAt + offset, clockOffset: offset };
}

/** The year 10000, in milliseconds since the epoch: no later time can be written. */
const latestTime = 253_402_300_800_000;

/** Returns the answer's Date header, in milliseconds since the epoch. */
function dateOf(result: Attempt): number | undefined {
  const time = Date.parse(headerOf(result, "date") ?? "");
  return time > 0 && time < latestTime ? time : undefined;
}
