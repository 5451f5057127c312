import { Transform, type TransformCallback } from "node:stream";
import type { S3Client } from "@aws-sdk/client-s3";
import { formatDuration } from "../../support/time/duration";
import { timeLimits } from "../../support/time/timeLimits";

/** The largest answer without an object: a page of a listing, or an error; bytes. */
const maxAnswerBytes = 16 * 1024 ** 2;

/**
 * Limits each answer in size and time, except for the content of an object, whose reader counts the bytes. The SDK itself
 * would collect an answer without an end.
 */
export function boundAnswers(client: S3Client): void {
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (step) => {
        const result = await next(step);
        const { statusCode = 0, body } = result.response as { statusCode?: number; body?: NodeJS.ReadableStream };
        const isObject = commandName === "GetObjectCommand" && statusCode < 300;
        if (body !== undefined && !isObject) {
          const timeout =
            commandName === "CompleteMultipartUploadCommand" ? timeLimits.joinParts : timeLimits.storageAnswer;
          const bounded = new BoundedBody(maxAnswerBytes, timeout);
          body.on("error", (error) => bounded.destroy(error)).pipe(bounded);
          // The SDK ignores the body of some answers, so that nothing else handles its errors.
          bounded.on("error", () => {}).on("close", () => (body as Partial<Transform>).destroy?.());
          Object.assign(result.response as object, { body: bounded });
        }
        return result;
      },
    // Next to the handler, so that no other step reads the answer first.
    { step: "deserialize", priority: "low", name: "boundedAnswer" },
  );
}

class BoundedBody extends Transform {
  readonly #timer: NodeJS.Timeout;
  #left: number;

  constructor(maxBytes: number, timeout: number) {
    super();
    this.#left = maxBytes;
    const timeIsUp = () => this.destroy(new Error(`no complete answer within ${formatDuration(timeout)}`));
    this.#timer = setTimeout(timeIsUp, timeout);
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    this.#left -= chunk.length;
    if (this.#left < 0) {
      done(new Error("the answer is too large for S3"));
    } else {
      done(undefined, chunk);
    }
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.#timer);
    done(error);
  }
}
