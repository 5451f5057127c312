import { describeFault, faultRemedy } from "../network/connectionFault";
import { stopError } from "../support/abort";
import { DestinationError, DocsPlatformError } from "../support/errors";
import { words } from "../support/words";

/** Why an operation of a store failed. */
export interface StorageFault {
  /** The end of a sentence about the place. */
  why: string;
  /** The remedy, without a full stop. Default: to check destination, network and credentials. */
  remedy?: string | undefined;
}

export interface AttemptOptions {
  /** The place in words, such as `the bucket docs`. */
  place: string;
  /** Describes what the server, its library or the file system reports; undefined for a fault of the network. */
  explain(error: unknown): StorageFault | undefined;
  /** Stops the operations that bring no signal of their own. */
  signal: AbortSignal;
}

/** Runs the operations of one store, so that each one fails with an error of `support/errors` that names the place. */
export class Attempts {
  readonly #options: AttemptOptions;

  constructor(options: AttemptOptions) {
    this.#options = options;
  }

  async run<T>(work: () => Promise<T>, signal = this.#options.signal): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.#asError(error, signal);
    }
  }

  /** Runs an operation that writes content. An error that the content throws is not one of the store, and stays as it is. */
  async write<T>(
    content: AsyncIterable<Buffer>,
    signal: AbortSignal,
    work: (content: ObservedContent) => Promise<T>,
  ): Promise<T> {
    const observed = new ObservedContent(content);
    try {
      return await work(observed);
    } catch (error) {
      throw observed.failure && !signal.aborted ? observed.failure.cause : this.#asError(error, signal);
    }
  }

  /** Runs an operation that reads one thing after the other. */
  async *read<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
    try {
      yield* items;
    } catch (error) {
      throw this.#asError(error, this.#options.signal);
    }
  }

  #asError(error: unknown, signal: AbortSignal): DocsPlatformError {
    if (signal.aborted) {
      return stopError(signal);
    }
    // A library may wrap the error of a proxy, or of a refused address, in its own.
    const own = error instanceof Error && error.cause instanceof DocsPlatformError ? error.cause : error;
    if (own instanceof DocsPlatformError) {
      return own;
    }
    const { place, explain } = this.#options;
    const { why, remedy } = explain(error) ?? { why: describeFault(error), remedy: faultRemedy(error) };
    return new DestinationError({
      happened: `${place} cannot be used: ${why}`,
      remedy: `${remedy ?? "check the destination, the network and the credentials"}; then run \`${words.run}\` again.`,
    });
  }
}

/** Counts the bytes of content, and remembers the error that the content throws. */
class ObservedContent implements AsyncIterable<Buffer> {
  bytes = 0;
  failure: { cause: unknown } | undefined;

  readonly #content: AsyncIterable<Buffer>;

  constructor(content: AsyncIterable<Buffer>) {
    this.#content = content;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of this.#content) {
        this.bytes += chunk.length;
        yield chunk;
      }
    } catch (cause) {
      this.failure = { cause };
      throw cause;
    }
  }
}
