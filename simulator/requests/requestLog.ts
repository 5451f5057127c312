import { EventEmitter } from "node:events";
import { type PlatformOperation, platformOperations } from "./operation";

export interface RequestRecord {
  readonly operation: PlatformOperation;
  readonly method: string;
  /** The path without its query, which could contain a signature; at most 1000 characters. */
  readonly path: string;
  /** 0 if there is no answer yet, or if the connection broke. */
  readonly status: number;
  /** In milliseconds since the epoch on this machine's clock. */
  readonly at: number;
  /** True if the request had the right API key, even if the operation needs no key. */
  readonly authorized: boolean;
}

/** Without a limit, a long log would fill the memory. */
export const maxLoggedRequests = 100_000;

const longestPath = 1_000;

export class RequestLog {
  /** A request has ended if it was answered completely, or if its connection broke. */
  readonly events = new EventEmitter<{ request: [RequestRecord] }>();
  records: RequestRecord[] = [];
  counts = zeroCounts();

  /** The caller sets the status later. */
  add(record: Omit<RequestRecord, "status">): { -readonly [K in keyof RequestRecord]: RequestRecord[K] } {
    const added = { ...record, path: record.path.slice(0, longestPath), status: 0 };
    if (this.records.length === maxLoggedRequests) {
      this.records.splice(0, maxLoggedRequests / 10);
    }
    this.records.push(added);
    this.counts[record.operation] += 1;
    return added;
  }

  reset(): void {
    this.records = [];
    this.counts = zeroCounts();
  }
}

function zeroCounts(): Record<PlatformOperation, number> {
  return Object.fromEntries(platformOperations.map((operation) => [operation, 0])) as Record<PlatformOperation, number>;
}
