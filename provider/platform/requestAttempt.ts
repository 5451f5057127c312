import { printable } from "../support/printable";
import { formatDuration } from "../support/time/duration";
import type { HttpRequest, RequestResult } from "./connection";

const idHeaders = ["x-request-id", "request-id", "x-correlation-id", "x-amzn-requestid", "cf-ray"];

/**
 * Returns the id of a request from the answer's headers. The API text shows no such header, so only a value that looks
 * like an id counts.
 */
export function requestIdOf(attempt: RequestResult): string | undefined {
  if (attempt.kind === "broken") {
    return undefined;
  }
  const values = idHeaders.map((name) => attempt.headers[name]);
  return values.find((value) => typeof value === "string" && /^[\w.:=+/-]{1,100}$/.test(value))?.toString();
}

export interface RequestAttempt {
  request: HttpRequest;
  attempt: RequestResult;
  title: string;
  number: number;
  /** The time from the request to its answer, in milliseconds. */
  took: number;
  /** The pause before the next attempt; undefined after the last attempt. */
  pause?: { time: number; asked: boolean } | undefined;
}

/** Describes an attempt in one line without a secret. */
export function describeAttempt({ request, attempt, title, number, took, pause }: RequestAttempt): string {
  const id = requestIdOf(attempt);
  const again = pause && `tried again in ${formatDuration(pause.time)}${pause.asked ? ", as the platform asks" : ""}`;
  const parts = [
    `${request.method} ${request.path}: ${attempt.kind === "answer" ? attempt.status : "no answer"}`,
    `${Math.round(took)} ms`,
    `attempt ${number}`,
    id && `request id ${id}`,
    again,
    attempt.kind === "broken" && attempt.error(title).happened,
  ];
  return printable(parts.filter(Boolean).join(", "));
}
