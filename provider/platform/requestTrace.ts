import { printable } from "../support/printable";
import { formatDuration } from "../support/time/duration";
import type { Attempt, Request } from "./connection";

/** The usual names of the header by which a platform, or a gateway before it, tells how its own logs call a request. */
const idHeaders = ["x-request-id", "request-id", "x-correlation-id", "x-amzn-requestid", "cf-ray"];

/** As the API text shows none, only what looks like an id is taken for one. */
export function requestIdOf(attempt: Attempt): string | undefined {
  if (attempt.kind === "broken") {
    return undefined;
  }
  const values = idHeaders.map((name) => attempt.headers[name]);
  return values.find((value) => typeof value === "string" && /^[\w.:=+/-]{1,100}$/.test(value))?.toString();
}

/** One try of a request, as it is told of in the log of a run that is debugged. */
export interface RequestAttempt {
  request: Request;
  attempt: Attempt;
  /** What the request is for. */
  title: string;
  /** From 1. */
  number: number;
  /** Milliseconds. */
  took: number;
  /** The rest before it is tried again; undefined where it is not. */
  rest?: { time: number; asked: boolean } | undefined;
}

/** A line without a secret: no header but the request's id is in it, and a path of the API holds ids only. */
export function describeTry({ request, attempt, title, number, took, rest }: RequestAttempt): string {
  const id = requestIdOf(attempt);
  const again = rest && `tried again in ${formatDuration(rest.time)}${rest.asked ? ", as the platform asks" : ""}`;
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
