import { addAbortSignal, type Readable } from "node:stream";
import type { S3Client } from "@aws-sdk/client-s3";
import { stopError } from "../../support/abort";
import type { DocsPlatformError } from "../../support/errors";
import { TaskPool } from "../../support/taskPool";
import type { S3Destination } from "../destination";
import { ObservedContent } from "../observedContent";
import type { ObjectInfo, PutOptions, Store } from "../store";
import { readText } from "../textFile";
import { createS3Client } from "./client";
import { asS3Error, isMissing, isNotFound } from "./error";
import { loadS3Sdk, type S3Sdk } from "./sdk";
import { writeObject } from "./writer";

const requestsAtOnce = 8;
/** The longest time until a request without content is answered, with its retries; milliseconds. */
const answerTimeout = 120_000;
/** Up to this number of objects each one gets its own request; above it the objects are listed. */
const maxHeadRequests = 8;

/** A bucket, or a part of one. The AWS SDK finds the credentials, and the region if none is given. */
export class S3Store implements Store {
  readonly #destination: S3Destination;
  readonly #sdk: S3Sdk;
  readonly #client: S3Client;
  /** The address of the whole bucket, as the SDK builds it. */
  #bucketAddress = "";

  readonly #signal: AbortSignal;

  /**
   * @param options.signal stops what brings no signal of its own.
   * @throws DestinationError if the AWS SDK is not installed.
   */
  constructor(destination: S3Destination, { plainLoopback, signal }: { plainLoopback: boolean; signal: AbortSignal }) {
    this.#destination = destination;
    this.#signal = signal;
    this.#sdk = loadS3Sdk();
    this.#client = createS3Client(this.#sdk, destination, {
      plainLoopback,
      // Who reads an object counts its bytes.
      maxObjectBytes: Number.POSITIVE_INFINITY,
      onAddress: (address, key) => {
        this.#bucketAddress = address.slice(0, -encodedKey(key).length);
      },
    });
  }

  async put(name: string, content: AsyncIterable<Buffer>, options: PutOptions): Promise<ObjectInfo> {
    const { contentType, cacheControl, signal } = options;
    const headers = { ContentType: contentType, ...(cacheControl !== undefined && { CacheControl: cacheControl }) };
    const counted = new ObservedContent(content);
    try {
      const revision = await writeObject(
        this.#client,
        this.#sdk,
        { ...this.#object(name), ...headers },
        counted,
        options,
      );
      return { sizeBytes: counted.bytes, revision };
    } catch (error) {
      if (signal.aborted) {
        throw stopError(signal);
      }
      // An error of the content is not an error of S3.
      throw counted.failure ? counted.failure.cause : asS3Error(error, this.#destination);
    }
  }

  stat(names: readonly string[]): Promise<Map<string, ObjectInfo>> {
    return this.#attempt(async () => {
      if (names.length > maxHeadRequests) {
        return this.#list(names);
      }
      const found = new Map<string, ObjectInfo>();
      for (const name of names) {
        const info = await this.#head(name);
        if (info) {
          found.set(name, info);
        }
      }
      return found;
    });
  }

  sha256(name: string): Promise<string | undefined> {
    return this.#attempt(async () => {
      const command = new this.#sdk.HeadObjectCommand({ ...this.#object(name), ChecksumMode: "ENABLED" });
      const { ChecksumSHA256: checksum, ChecksumType: type } = await this.#client.send(command, this.#limited());
      // The checksum of a multipart object is built from the checksums of the parts.
      const ofWhole = checksum !== undefined && type !== "COMPOSITE" && !checksum.includes("-");
      return ofWhole ? Buffer.from(checksum, "base64").toString("hex") : undefined;
    });
  }

  async *list(): AsyncGenerator<string> {
    try {
      for await (const [name] of this.#objects()) {
        // Consoles represent a folder by an object without a name, or with a slash at its end.
        if (name !== "" && !name.endsWith("/")) {
          yield name;
        }
      }
    } catch (error) {
      throw this.#asError(error);
    }
  }

  async *content(name: string): AsyncGenerator<Buffer> {
    try {
      const { Body: body } = await this.#client.send(
        new this.#sdk.GetObjectCommand(this.#object(name)),
        this.#limited(),
      );
      yield* addAbortSignal(this.#signal, body as Readable);
    } catch (error) {
      throw this.#asError(error);
    }
  }

  read(name: string, maxBytes: number): Promise<string | undefined> {
    return this.#attempt(async () => {
      try {
        const { Body: body } = await this.#client.send(
          new this.#sdk.GetObjectCommand(this.#object(name)),
          this.#limited(),
        );
        return await readText(addAbortSignal(this.#limited().abortSignal, body as Readable), maxBytes);
      } catch (error) {
        if (isMissing(error)) {
          return undefined;
        }
        throw error;
      }
    });
  }

  remove(names: readonly string[], signal = this.#signal): Promise<void> {
    return this.#attempt(async () => {
      const removals = new TaskPool(requestsAtOnce);
      for (const name of names) {
        await removals.add(async () => {
          await this.#client.send(new this.#sdk.DeleteObjectCommand(this.#object(name)), this.#limited(signal));
        });
      }
      await removals.drain();
    });
  }

  address(name: string): string {
    return `${this.#bucketAddress}${encodedKey(this.#object(name).Key)}`;
  }

  close(): void {
    this.#client.destroy();
  }

  async #head(name: string): Promise<ObjectInfo | undefined> {
    try {
      const { ContentLength: sizeBytes = 0, ETag: revision = "" } = await this.#client.send(
        new this.#sdk.HeadObjectCommand(this.#object(name)),
        this.#limited(),
      );
      return { sizeBytes, revision };
    } catch (error) {
      if (!isNotFound(error)) {
        throw error;
      }
      // A 404 without a reason does not prove that the object is missing: a listing tells.
      return (await this.#list([name])).get(name);
    }
  }

  async #list(names: readonly string[]): Promise<Map<string, ObjectInfo>> {
    const wanted = new Set(names);
    const found = new Map<string, ObjectInfo>();
    try {
      for await (const [name, info] of this.#objects(names.length === 1 ? names[0] : "")) {
        if (wanted.has(name)) {
          found.set(name, info);
        }
      }
    } catch (error) {
      if (!isMissing(error)) {
        throw error;
      }
    }
    return found;
  }

  async *#objects(begin = ""): AsyncGenerator<[name: string, info: ObjectInfo]> {
    const { bucket: Bucket, prefix } = this.#destination;
    let token: string | undefined;
    do {
      const command = new this.#sdk.ListObjectsV2Command({ Bucket, Prefix: prefix + begin, ContinuationToken: token });
      const page = await this.#client.send(command, this.#limited());
      for (const { Key: key = "", Size: sizeBytes = 0, ETag: revision = "" } of page.Contents ?? []) {
        yield [key.slice(prefix.length), { sizeBytes, revision }];
      }
      token = page.IsTruncated ? page.NextContinuationToken : undefined;
    } while (token !== undefined);
  }

  #limited(signal = this.#signal): { abortSignal: AbortSignal } {
    return { abortSignal: AbortSignal.any([signal, AbortSignal.timeout(answerTimeout)]) };
  }

  #object(name: string): { Bucket: string; Key: string } {
    const { bucket, prefix } = this.#destination;
    return { Bucket: bucket, Key: prefix + name };
  }

  #asError(error: unknown): DocsPlatformError {
    return this.#signal.aborted ? stopError(this.#signal) : asS3Error(error, this.#destination);
  }

  async #attempt<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.#asError(error);
    }
  }
}

/** Encodes a key for the path of an address (RFC 3986). */
function encodedKey(key: string): string {
  const asEscape = (sign: string) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(key)
    .replaceAll("%2F", "/")
    .replace(/[!'()*]/g, asEscape);
}
