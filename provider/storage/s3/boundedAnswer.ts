import { Transform, type TransformCallback } from "node:stream";
import type { S3Client } from "@aws-sdk/client-s3";
import { formatDuration } from "../../support/duration";

/** The largest answer that is no object: a page of a listing, or an error; bytes. */
const maxAnswerBytes = 16 * 1024 ** 2;
/** The longest time for the body of an answer; milliseconds. */
const answerTimeout = 60_000;
/** S3 begins to answer before it has joined the parts of an object, which may take minutes; milliseconds. */
const joinTimeout = 900_000;

/** Limits each answer in size, and each one that is no object in time: the SDK itself would collect one without an end. */
export function boundAnswers(client: S3Client, maxObjectBytes: number): void {
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (step) => {
        const result = await next(step);
        const { statusCode = 0, body } = result.response as { statusCode?: number; body?: NodeJS.ReadableStream };
        if (body !== undefined) {
          const isObject = commandName === "GetObjectCommand" && statusCode < 300;
          const timeout = commandName === "CompleteMultipartUploadCommand" ? joinTimeout : answerTimeout;
          const bounded = isObject ? new BoundedBody(maxObjectBytes) : new BoundedBody(maxAnswerBytes, timeout);
          body.on("error", (error) => bounded.destroy(error)).pipe(bounded);
          // The SDK reads no answer to some requests, and so hears of no fault in it.
          bounded.on("error", () => {}).on("close", () => (body as Partial<Transform>).destroy?.());
          Object.assign(result.response as object, { body: bounded });
        }
        return result;
      },
    // Next to the handler, so that no other step reads the answer before.
    { step: "deserialize", priority: "low", name: "boundedAnswer" },
  );
}

class BoundedBody extends Transform {
  readonly #timer: NodeJS.Timeout | undefined;
  #left: number;

  constructor(maxBytes: number, timeout?: number) {
    super();
    this.#left = maxBytes;
    this.#timer =
      timeout === undefined
        ? undefined
        : setTimeout(() => this.destroy(new Error(`no whole answer within ${formatDuration(timeout)}`)), timeout);
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    this.#left -= chunk.length;
    if (this.#left < 0) {
      done(new Error("the answer is larger than any of S3"));
    } else {
      done(undefined, chunk);
    }
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.#timer);
    done(error);
  }
}
