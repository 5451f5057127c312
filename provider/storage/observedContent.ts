/** Counts the bytes of content, and remembers the error that it has thrown. */
export class ObservedContent implements AsyncIterable<Buffer> {
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
