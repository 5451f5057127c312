import type { PlatformOperation } from "../requests/operation";

/** A fault for the next requests of one operation. */
export type Fault = FaultScope & FaultKind;

/** The requests that get a fault. */
export interface FaultScope {
  /** The operation whose requests get the fault. */
  readonly operation: PlatformOperation;
  /** The number of requests that get the fault; `Infinity` for all. Default: 1. */
  readonly count?: number;
  /** The number of requests of the operation that pass before the fault, counted from the injection. Default: 0. */
  readonly after?: number;
}

/** The effect of the fault on a request. */
export type FaultKind =
  | StatusFault
  | BodyFault
  | DelayFault
  | {
      /**
       * - `reset`: the connection is reset (RST), and the request is not processed
       * - `lostAnswer`: the request is processed (a job really starts), then the connection is reset before any byte
       * - `hang`: the request is neither processed nor answered
       * - `brokenBody`: the request is processed; the answer is 200 with half of the JSON, as if this half were complete
       * - `truncate`: the request is processed; `Content-Length` is right, half of the body is sent, then the
       * connection is reset
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

/** Answers with valid JSON that the caller chooses. The request is not processed. */
export interface BodyFault {
  readonly kind: "body";
  /** The status, from 200 to 599. Default: 200. */
  readonly status?: number;
  /** Any JSON value. */
  readonly body: unknown;
}

/** Processes the request after a pause (`delay`), or processes it at once and answers after a pause (`lateAnswer`). */
export interface DelayFault {
  readonly kind: "delay" | "lateAnswer";
  /** The pause in milliseconds, 0 or more. */
  readonly ms: number;
}
