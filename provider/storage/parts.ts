/** A part of an object. After `release`, the buffer of this part may be used for a later part. */
export interface ObjectPart {
  bytes: Buffer;
  /** True for the last part. If the content ends with an error, the last part is not yielded. */
  last: boolean;
  release(): void;
}

/**
 * Splits content into parts of equal size, because some S3 servers require this. Only the last part may be smaller. The
 * buffer of a released part is used for a later part, so there are only as many buffers as unreleased parts.
 * @param expectedBytes the size of the whole content, if it is known.
 */
export async function* partsOf(
  content: AsyncIterable<Buffer>,
  partBytes: number,
  expectedBytes: number | undefined,
): AsyncGenerator<ObjectPart, void> {
  const free: Buffer[] = [];
  const take = () => free.pop() ?? Buffer.allocUnsafeSlow(Math.min(partBytes, expectedBytes || partBytes));
  let buffer = take();
  let filled = 0;
  const part = (last: boolean): ObjectPart => {
    const used = buffer;
    return { bytes: used.subarray(0, filled), last, release: () => void free.push(used) };
  };
  for await (const chunk of content) {
    for (let copied = 0; copied < chunk.length; ) {
      if (filled === buffer.length) {
        yield part(false);
        buffer = take();
        filled = 0;
      }
      const count = chunk.copy(buffer, filled, copied);
      filled += count;
      copied += count;
    }
  }
  yield part(true);
}
