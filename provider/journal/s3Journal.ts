import type { S3Client } from "@aws-sdk/client-s3";
import type { S3Destination } from "../mirror/stores/destination";
import { createS3Client } from "../mirror/stores/s3/client";
import { asS3Error, isMissing } from "../mirror/stores/s3/error";
import { loadS3Sdk, type S3Sdk } from "../mirror/stores/s3/sdk";
import { DocsPlatformError } from "../support/errors";
import { type Entry, isTooOld, type Journal, largestEntry, readEntry, UnreadableEntry, writeEntry } from "./journal";

/** The limit of one request to the bucket, so that a bucket that does not answer cannot block a run; milliseconds. */
const timeLimit = 15_000;

/** A journal in a bucket that machines share, with an object for each entry. The AWS SDK finds the credentials. */
export class S3Journal implements Journal {
  readonly isRemote = true;
  /** Created at the first use, since most runs start nothing. */
  #s3: { sdk: S3Sdk; client: S3Client } | undefined;
  /** The revision (ETag) of each entry that this process has written or read. */
  readonly #revisions = new Map<string, string | undefined>();

  constructor(
    readonly place: string,
    private readonly destination: S3Destination,
  ) {}

  async add(name: string, entry: Entry): Promise<Entry | undefined> {
    try {
      await this.#put(name, entry, { IfNoneMatch: "*" });
      return undefined;
    } catch (error) {
      if (!isConflict(error)) {
        throw this.#explained(error);
      }
    }
    const earlier = await this.find(name).catch((error: Error) => {
      throw new UnreadableEntry(error.message);
    });
    if (earlier === undefined) {
      // The earlier entry is too old, cannot be understood, or was removed meanwhile.
      await this.replace(name, entry);
    }
    return earlier;
  }

  async replace(name: string, entry: Entry): Promise<void> {
    const revision = this.#revisions.get(name);
    await this.#attempt(() => this.#put(name, entry, revision === undefined ? {} : { IfMatch: revision }));
  }

  find(name: string): Promise<Entry | undefined> {
    return this.#attempt(async () => {
      try {
        const { sdk, client } = this.#open();
        const command = new sdk.GetObjectCommand(this.#object(name));
        const { Body: body, ContentLength: size = 0, ETag: revision } = await client.send(command, limited());
        this.#revisions.set(name, revision);
        // A larger object is no entry, and is not read.
        const entry = size > largestEntry ? undefined : readEntry((await body?.transformToString()) ?? "");
        return entry === undefined || isTooOld(entry, Date.now()) ? undefined : entry;
      } catch (error) {
        if (isMissing(error)) {
          this.#revisions.delete(name);
          return undefined;
        }
        throw error;
      }
    });
  }

  remove(name: string): Promise<void> {
    return this.#attempt(async () => {
      const { sdk, client } = this.#open();
      await client.send(new sdk.DeleteObjectCommand(this.#object(name)), limited());
      this.#revisions.delete(name);
    });
  }

  async #put(name: string, entry: Entry, condition: { IfNoneMatch?: string; IfMatch?: string }): Promise<void> {
    const content = { Body: writeEntry(entry), ContentType: "application/json" };
    const { sdk, client } = this.#open();
    const command = new sdk.PutObjectCommand({ ...this.#object(name), ...content, ...condition });
    const { ETag: revision } = await client.send(command, limited());
    this.#revisions.set(name, revision);
  }

  /** @throws DestinationError where the AWS SDK is not installed. */
  #open(): { sdk: S3Sdk; client: S3Client } {
    if (this.#s3 === undefined) {
      const sdk = loadS3Sdk();
      // No bundle is sent here. A server on this machine is for tests.
      const client = createS3Client(sdk, this.destination, { plainLoopback: true, onAddress: () => {} });
      this.#s3 = { sdk, client };
    }
    return this.#s3;
  }

  #object(name: string): { Bucket: string; Key: string } {
    return { Bucket: this.destination.bucket, Key: `${this.destination.prefix}${name}.json` };
  }

  async #attempt<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.#explained(error);
    }
  }

  #explained(error: unknown): Error {
    const reason = asS3Error(error, this.destination);
    return new Error(reason instanceof DocsPlatformError ? reason.happened : String(reason));
  }
}

function limited(): { abortSignal: AbortSignal } {
  return { abortSignal: AbortSignal.timeout(timeLimit) };
}

/** True where the condition of a put does not hold, or another put is running. */
function isConflict(error: unknown): boolean {
  return error instanceof Error && ["PreconditionFailed", "ConditionalRequestConflict"].includes(error.name);
}
