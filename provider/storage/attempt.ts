import { explainConnectionFault } from "../network/connectionFault";
import { interruptionError } from "../support/abort";
import { DestinationError, DocsPlatformError, isTransient } from "../support/errors";
import { type Clock, systemClock } from "../support/time/clock";
import type { Deadline } from "../support/time/deadline";
import { calculateBackoffDelay, delays } from "../support/time/delays";
import { parseRetryAfter } from "../support/time/parseRetryAfter";
import { retry } from "../support/time/retry";
import { words } from "../support/words";

export interface AttemptLimits {
  /** Stops operations that have no signal of their own. */
  signal: AbortSignal;
  clock?: Clock;
  /** The time after which no request is repeated. */
  deadline?: Deadline;
}

export interface ExplainedStorageFault {
  /** The reason of the fault, such as "HTTP 403". In a message, it follows "cannot be used: ". */
  why: string;
  /** Without a full stop. Default: check the destination, the network and the credentials. */
  remedy?: string | undefined;
  /** True if another attempt may succeed. */
  mayPass?: boolean;
  /** The pause in milliseconds that the server asks for. */
  retryAfter?: number | undefined;
}

interface AttemptOptions extends AttemptLimits {
  /** The description of the place, such as `the bucket docs`. */
  place: string;
  /**
   * Describes an error of the server, of the server's library or of the file system. Returns undefined for a network
   * fault.
   */
  explain(error: unknown): ExplainedStorageFault | undefined;
}

const mostRepeats = 3;

/** Repeats a store's requests. A final error becomes an error of `support/errors` with the place in its text. */
export class StorageRetrier {
  constructor(private readonly options: AttemptOptions) {}

  async run<T>(work: () => Promise<T>, signal = this.options.signal): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.asError(error, signal);
    }
  }

  /**
   * Runs an operation that writes content. An error that the content throws is thrown unchanged.
   * @param open is called for each attempt.
   * @param isRepeatable returns true if the whole content may be written again after a fault.
   */
  async write<T>(
    open: () => AsyncIterable<Buffer>,
    signal: AbortSignal,
    work: (content: ObservedContent) => Promise<T>,
    isRepeatable: () => boolean = () => false,
  ): Promise<T> {
    let content = new ObservedContent(open());
    const write = (retries: number) => {
      content = retries === 0 ? content : new ObservedContent(open());
      return work(content);
    };
    try {
      return await this.request(write, signal, () => isRepeatable() && content.failure === undefined);
    } catch (error) {
      throw content.failure && !signal.aborted ? content.failure.cause : this.asError(error, signal);
    }
  }

  request<T>(
    send: (retries: number) => Promise<T>,
    signal = this.options.signal,
    isRepeatable: () => boolean = () => true,
  ): Promise<T> {
    const { clock = systemClock, deadline } = this.options;
    let faults = 0;
    const pauseAfter = (error: unknown) => {
      const { mayPass, retryAfter } = this.#faultOf(error);
      if (signal.aborted || !isRepeatable() || !mayPass) {
        return undefined;
      }
      if (retryAfter !== undefined) {
        return Math.max(retryAfter, delays.transfer.first);
      }
      return faults < mostRepeats ? calculateBackoffDelay(delays.transfer, faults++) : undefined;
    };
    return retry(send, { pauseAfter, deadline, clock, signal });
  }

  async *read<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
    try {
      yield* items;
    } catch (error) {
      throw this.asError(error, this.options.signal);
    }
  }

  #faultOf(error: unknown): ExplainedStorageFault {
    const own = ownErrorIn(error);
    if (own !== undefined) {
      return { why: own.message, mayPass: isTransient(own) };
    }
    return this.options.explain(error) ?? explainConnectionFault(error);
  }

  /** `what` is put before the reason. An example is `the object "a.html" cannot be removed: `. */
  asError(error: unknown, signal: AbortSignal, what = ""): DocsPlatformError {
    if (signal.aborted) {
      return interruptionError(signal);
    }
    const own = ownErrorIn(error);
    if (own !== undefined) {
      return own;
    }
    const { why, remedy = "check the destination, the network and the credentials" } = this.#faultOf(error);
    return new DestinationError({
      happened: `${this.options.place} cannot be used: ${what}${why}`,
      remedy: `${remedy}; then run \`${words.run}\` again.`,
    });
  }
}

/** A library may have wrapped this provider's own error about a proxy or a refused address. */
function ownErrorIn(error: unknown): DocsPlatformError | undefined {
  const own = error instanceof Error && error.cause instanceof DocsPlatformError ? error.cause : error;
  return own instanceof DocsPlatformError ? own : undefined;
}

/**
 * If an answer has a `Retry-After`, the caller waits for that time and does not count the repeat. A `Retry-After` of 0
 * is ignored, because such repeats could go on without a limit.
 */
export function decideRetry(
  status: number | undefined,
  header: (name: string) => string | undefined,
): Pick<ExplainedStorageFault, "mayPass" | "retryAfter"> {
  if (status === undefined || status === 501 || (status < 500 && status !== 408 && status !== 429)) {
    return { mayPass: false };
  }
  const date = Date.parse(header("date") ?? "");
  const answeredAt = Number.isNaN(date) ? Date.now() : date;
  const namesTime = status === 429 || status === 503;
  const retryAfter = namesTime ? parseRetryAfter(header("retry-after"), answeredAt) : undefined;
  return { mayPass: true, retryAfter: retryAfter || undefined };
}

class ObservedContent implements AsyncIterable<Buffer> {
  bytes = 0;
  failure: { cause: unknown } | undefined;

  constructor(private readonly content: AsyncIterable<Buffer>) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of this.content) {
        this.bytes += chunk.length;
        yield chunk;
      }
    } catch (cause) {
      this.failure = { cause };
      throw cause;
    }
  }
}
