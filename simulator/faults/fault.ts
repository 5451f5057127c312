import type { PlatformOperation } from "../requests/operation";

/** A fault for the next requests of one operation. */
export type Fault = FaultScope & FaultKind;

export interface FaultScope {
  readonly operation: PlatformOperation;
  /** The number of requests that get the fault; `Infinity` for all. Default: 1. */
  readonly count?: number;
  /** The fault first lets this number of the operation's requests pass. Default: 0. */
  readonly after?: number;
}

export type FaultKind =
  | StatusFault
  | BodyFault
  | DelayFault
  | {
      /**
       * - `reset`: the connection is reset (RST), and the request is not processed
       * - `lostAnswer`: the request is processed (a job really starts), and the connection is reset before any byte
       * - `hang`: the request is neither processed nor answered
       * - `brokenBody`: the request is processed; the answer is 200 with half of the JSON, as if it were complete
       * - `truncate`: the request is processed; `Content-Length` is right, but the connection is reset after half of
       * the body
       */
      readonly kind: "reset" | "lostAnswer" | "hang" | "brokenBody" | "truncate";
    };

/** Answers with a status; the request is not processed. */
export interface StatusFault {
  readonly kind: "status";
  /** The status, from 200 to 599. */
  readonly status: number;
  /** Further headers, such as `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The body, which is sent unchanged, for example HTML. Default: an Error body as JSON. */
  readonly body?: string;
}

/** Answers with a JSON body; the request is not processed. */
export interface BodyFault {
  readonly kind: "body";
  /** The status, from 200 to 599. Default: 200. */
  readonly status?: number;
  /** Any JSON value. */
  readonly body: unknown;
}

/** `delay` processes the request after the pause. `lateAnswer` processes it at once, and answers after the pause. */
export interface DelayFault {
  readonly kind: "delay" | "lateAnswer";
  /** In milliseconds, 0 or more. */
  readonly ms: number;
}
