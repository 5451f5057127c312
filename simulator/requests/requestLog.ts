import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { operations, type PlatformOperation } from "./operation";

/** One request as the platform saw it. */
export interface RequestRecord {
  readonly operation: PlatformOperation;
  readonly method: string;
  /** The path without its query: no signature stands in it. At most 1000 characters of it. */
  readonly path: string;
  /** Status of the answer; 0 while there is none and when the connection was broken before its end. */
  readonly status: number;
  /** When it arrived, in milliseconds since the epoch on this machine's clock. */
  readonly at: number;
  /** The TCP connection it came on, counted from 1. */
  readonly connection: number;
  /** Whether it carried the right API key, whether that was asked for or not. */
  readonly authorized: boolean;
}

interface Events {
  request: [RequestRecord];
}

/** How many requests are kept: what fills a log must not fill the memory. */
export const longestLog = 100_000;

/** How much of a path is kept, in characters. */
const longestPath = 1_000;

/** The requests since the start or the last reset, the latest of them, and the counts of all. */
export class RequestLog {
  readonly #events = new EventEmitter<Events>();
  readonly #connections = new WeakMap<Socket, number>();
  #lastConnection = 0;
  #records: RequestRecord[] = [];
  #counts = zeroCounts();

  /** Requests in the order of their arrival. */
  get records(): readonly RequestRecord[] {
    return this.#records;
  }

  /** Requests received, by operation. */
  get counts(): Readonly<Record<PlatformOperation, number>> {
    return this.#counts;
  }

  /** Tells of each request once it is over: answered in full, or its connection broken. */
  get events(): EventEmitter<Events> {
    return this.#events;
  }

  /** Notes a request that has arrived. */
  add(
    record: Omit<RequestRecord, "connection" | "status">,
    socket: Socket,
  ): { -readonly [K in keyof RequestRecord]: RequestRecord[K] } {
    const path = record.path.slice(0, longestPath);
    const added = { ...record, path, status: 0, connection: this.#connectionOf(socket) };
    if (this.#records.length === longestLog) {
      this.#records.splice(0, longestLog / 10);
    }
    this.#records.push(added);
    this.#counts[record.operation] += 1;
    return added;
  }

  /** Forgets all requests; connections keep their numbers. */
  reset(): void {
    this.#records = [];
    this.#counts = zeroCounts();
  }

  #connectionOf(socket: Socket): number {
    const known = this.#connections.get(socket);
    if (known !== undefined) {
      return known;
    }
    this.#lastConnection += 1;
    this.#connections.set(socket, this.#lastConnection);
    return this.#lastConnection;
  }
}

function zeroCounts(): Record<PlatformOperation, number> {
  return Object.fromEntries(operations.map((operation) => [operation, 0])) as Record<PlatformOperation, number>;
}
