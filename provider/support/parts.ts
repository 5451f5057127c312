/** After `release`, the buffer may be used for a later part. */
export interface UploadPart {
  bytes: Buffer;
  /** If the content ends with an error, the last part is not yielded. */
  last: boolean;
  release(): void;
}

/**
 * All parts except the last have equal sizes, because some S3 servers require this. Buffers of released parts are used
 * again.
 * @param expectedBytes the size of the whole content, if it is known.
 */
export async function* partsOf(
  content: AsyncIterable<Buffer>,
  partBytes: number,
  expectedBytes: number | undefined,
): AsyncGenerator<UploadPart, void> {
  const free: Buffer[] = [];
  const take = () => free.pop() ?? Buffer.allocUnsafeSlow(Math.min(partBytes, expectedBytes || partBytes));
  let buffer = take();
  let filled = 0;
  const part = (last: boolean): UploadPart => {
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
