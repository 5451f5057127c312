import type { S3Client } from "@aws-sdk/client-s3";
import type { S3Destination } from "../storage/destination";
import { withChecksum } from "../storage/s3/checksum";
import { createS3Client } from "../storage/s3/client";
import { describeS3Fault } from "../storage/s3/error";
import { loadS3Sdk, type S3Sdk } from "../storage/s3/sdk";
import { DocsPlatformError } from "../support/errors";
import { isEntryName, type Journal, largestEntry } from "./journal";

/** The limit of one operation, so that a bucket that does not answer cannot block a run; milliseconds. */
const timeLimit = 15_000;

interface Open {
  sdk: S3Sdk;
  client: S3Client;
}

/** A journal in a bucket that machines share, with an object for each entry. The AWS SDK finds the credentials. */
export class S3Journal implements Journal {
  readonly isRemote = true;
  /** Created at the first use, since most runs start nothing. */
  #s3: Open | undefined;
  /** Set once the bucket has not answered in time: each further operation would wait as long. */
  #verdict: Error | undefined;

  readonly #destination: S3Destination;
  readonly #limit: number;

  constructor(
    readonly place: string,
    destination: S3Destination,
    limit = timeLimit,
  ) {
    this.#destination = destination;
    this.#limit = limit;
  }

  list(prefix: string): Promise<string[]> {
    const { bucket: Bucket, prefix: folder } = this.#destination;
    return this.#attempt(async ({ sdk, client }, abortSignal) => {
      const names: string[] = [];
      let ContinuationToken: string | undefined;
      do {
        const command = new sdk.ListObjectsV2Command({ Bucket, Prefix: folder + prefix, ContinuationToken });
        const { Contents = [], NextContinuationToken } = await client.send(command, { abortSignal });
        names.push(...Contents.map(({ Key = "" }) => Key.slice(folder.length).replace(/\.json$/, "")));
        ContinuationToken = NextContinuationToken;
      } while (ContinuationToken !== undefined);
      return names.filter((name) => isEntryName(name) && name.startsWith(prefix));
    });
  }

  read(name: string): Promise<string | undefined> {
    return this.#attempt(async ({ sdk, client }, abortSignal) => {
      try {
        const { Body } = await client.send(new sdk.GetObjectCommand(this.#object(name)), { abortSignal });
        return await textOf(Body as AsyncIterable<Uint8Array>);
      } catch (error) {
        if (error instanceof Error && error.name === "NoSuchKey") {
          return undefined;
        }
        throw error;
      }
    });
  }

  write(name: string, text: string): Promise<void> {
    return this.#attempt(async ({ sdk, client }, abortSignal) => {
      const Body = Buffer.from(text);
      const object = { ...this.#object(name), Body, ContentType: "application/json" };
      await withChecksum(client, Body, (checksum) =>
        client.send(new sdk.PutObjectCommand({ ...object, ...checksum }), { abortSignal }),
      );
    });
  }

  remove(name: string): Promise<void> {
    return this.#attempt(async ({ sdk, client }, abortSignal) => {
      await client.send(new sdk.DeleteObjectCommand(this.#object(name)), { abortSignal });
    });
  }

  /** @throws DestinationError where the AWS SDK is not installed. */
  #open(): Open {
    if (this.#s3 === undefined) {
      const sdk = loadS3Sdk();
      // No bundle is sent here. A server on this machine is for tests.
      const client = createS3Client(sdk, this.#destination, { plainLoopback: true });
      this.#s3 = { sdk, client };
    }
    return this.#s3;
  }

  #object(name: string): { Bucket: string; Key: string } {
    return { Bucket: this.#destination.bucket, Key: `${this.#destination.prefix}${name}.json` };
  }

  /** The limit is for the answer as a whole: of one that never ends, the SDK itself would wait for the end. */
  async #attempt<T>(work: (open: Open, signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#verdict !== undefined) {
      throw this.#verdict;
    }
    const abort = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.#verdict = new Error(
          `the bucket ${this.#destination.bucket} has not answered within ${this.#limit / 1_000} s; it is not asked again in this run`,
        );
        reject(this.#verdict);
        abort.abort();
        // Cuts the connections, also those of an answer that is being read.
        this.#s3?.client.destroy();
      }, this.#limit);
    });
    try {
      return await Promise.race([work(this.#open(), abort.signal), late]);
    } catch (error) {
      throw this.#explained(error);
    } finally {
      clearTimeout(timer);
    }
  }

  #explained(error: unknown): Error {
    if (error === this.#verdict) {
      return error as Error;
    }
    if (error instanceof DocsPlatformError) {
      return new Error(error.happened);
    }
    const { happened, remedy } = describeS3Fault(error, this.#destination);
    return new Error(`${happened}; ${remedy}`);
  }
}

/** Reads an object, and of a larger one than any entry no more than it takes to see that. */
async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > largestEntry) {
      throw new Error(`an object of more than ${largestEntry} bytes is no entry`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
