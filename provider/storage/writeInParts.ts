import { partsOf } from "../support/parts";
import { TaskPool } from "../support/taskPool";
import type { PutObjectOptions } from "./store";

const partsAtOnce = 4;

export interface MultipartUploadTarget {
  readonly minPartBytes: number;
  readonly defaultPartBytes: number;
  readonly maxParts: number;
  /** @returns the object's revision. */
  putWhole(bytes: Buffer, signal: AbortSignal): Promise<string>;
  begin(signal: AbortSignal): Promise<PartsUpload>;
}

/** The parts are invisible until the upload is completed. */
export interface PartsUpload {
  /** The first part has the number 1. */
  put(number: number, bytes: Buffer, signal: AbortSignal): Promise<void>;
  /** @returns the object's revision. */
  complete(signal: AbortSignal): Promise<string>;
  abort(): Promise<void>;
}

/**
 * Writes the whole content or nothing, in one request or in parts. The SDKs' own functions need twice the memory, and
 * after an error they continue in the background.
 * @param request sends a request, and repeats it after a temporary fault.
 * @returns the object's revision.
 */
export async function writeInParts(
  content: AsyncIterable<Buffer>,
  { expectedBytes, signal }: PutObjectOptions,
  target: MultipartUploadTarget,
  request: <R>(send: () => Promise<R>) => Promise<R>,
): Promise<string> {
  const { minPartBytes, maxParts, defaultPartBytes } = target;
  const partBytes =
    expectedBytes === undefined ? defaultPartBytes : Math.max(minPartBytes, Math.ceil(expectedBytes / maxParts));
  const stop = new AbortController();
  const partSignal = AbortSignal.any([signal, stop.signal]);
  const sending = new TaskPool(partsAtOnce);
  let upload: PartsUpload | undefined;
  let number = 0;
  try {
    for await (const part of partsOf(content, partBytes, expectedBytes)) {
      if (part.last && upload === undefined) {
        return await request(() => target.putWhole(part.bytes, signal));
      }
      upload ??= await request(() => target.begin(signal));
      const [begun, own] = [upload, ++number];
      await sending.add(async () => {
        await request(() => begun.put(own, part.bytes, partSignal));
        part.release();
      });
    }
    await sending.drain();
    const whole = upload;
    return whole === undefined ? "" : await request(() => whole.complete(signal));
  } catch (error) {
    stop.abort();
    await sending.drain().catch(() => {});
    // The error that caused the abort must be reported, and not an error of the abort.
    await upload?.abort().catch(() => {});
    throw error;
  }
}
