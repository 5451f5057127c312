/** Reads a stream of chunks in pieces of given sizes. A piece inside one chunk is not copied. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Returns at least one byte and at most `size`; undefined at the end. */
  async some(size: number): Promise<Buffer | undefined> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#chunks.next();
      if (done) {
        return undefined;
      }
      this.#rest = value;
    }
    const piece = this.#rest.subarray(0, size);
    this.#rest = this.#rest.subarray(piece.length);
    return piece;
  }

  /** Returns exactly `size` bytes; undefined if the stream has fewer bytes left. */
  async exactly(size: number): Promise<Buffer | undefined> {
    const pieces: Buffer[] = [];
    for (let missing = size; missing > 0; ) {
      const piece = await this.some(missing);
      if (!piece) {
        return undefined;
      }
      missing -= piece.length;
      pieces.push(piece);
    }
    return pieces.length === 1 ? pieces[0] : Buffer.concat(pieces);
  }

  /** Reads to the stream's end, so that the stream makes its checks (gzip). */
  async toEnd(): Promise<void> {
    while (await this.some(Number.POSITIVE_INFINITY)) {}
  }

  /** Closes the stream at any position. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}
