import type { Readable } from "node:stream";
import type { S3Client } from "@aws-sdk/client-s3";
import { InterruptedError } from "../../../support/errors";
import { TaskPool } from "../../../support/taskPool";
import type { S3Destination } from "../destination";
import { ObservedContent } from "../observedContent";
import type { ObjectInfo, PutOptions, Store } from "../store";
import { readText } from "../textFile";
import { createS3Client } from "./client";
import { asS3Error, isMissing, isNotFound } from "./error";
import { loadS3Sdk, type S3Sdk } from "./sdk";
import { writeObject } from "./writer";

const requestsAtOnce = 8;
/** Up to this number of objects each one gets its own request; above it the objects are listed. */
const maxHeadRequests = 8;

/** A bucket, or a part of one. The AWS SDK finds the credentials, and the region if none is given. */
export class S3Store implements Store {
  readonly #destination: S3Destination;
  readonly #sdk: S3Sdk;
  readonly #client: S3Client;
  /** The address of the whole bucket, as the SDK builds it. */
  #bucketAddress = "";

  /** @throws DestinationError if the AWS SDK is not installed. */
  constructor(destination: S3Destination, { plainLoopback }: { plainLoopback: boolean }) {
    this.#destination = destination;
    this.#sdk = loadS3Sdk();
    this.#client = createS3Client(this.#sdk, destination, {
      plainLoopback,
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
        throw new InterruptedError();
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
      const { ChecksumSHA256: checksum, ChecksumType: type } = await this.#client.send(command);
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
      throw asS3Error(error, this.#destination);
    }
  }

  async *content(name: string): AsyncGenerator<Buffer> {
    try {
      const { Body: body } = await this.#client.send(new this.#sdk.GetObjectCommand(this.#object(name)));
      yield* body as Readable;
    } catch (error) {
      throw asS3Error(error, this.#destination);
    }
  }

  read(name: string, maxBytes: number): Promise<string | undefined> {
    return this.#attempt(async () => {
      try {
        const { Body: body } = await this.#client.send(new this.#sdk.GetObjectCommand(this.#object(name)));
        return await readText(body as Readable, maxBytes);
      } catch (error) {
        if (isMissing(error)) {
          return undefined;
        }
        throw error;
      }
    });
  }

  remove(names: readonly string[]): Promise<void> {
    return this.#attempt(async () => {
      const removals = new TaskPool(requestsAtOnce);
      for (const name of names) {
        await removals.add(async () => {
          await this.#client.send(new this.#sdk.DeleteObjectCommand(this.#object(name)));
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
    const paginator = this.#sdk.paginateListObjectsV2({ client: this.#client }, { Bucket, Prefix: prefix + begin });
    for await (const { Contents: objects = [] } of paginator) {
      for (const { Key: key = "", Size: sizeBytes = 0, ETag: revision = "" } of objects) {
        yield [key.slice(prefix.length), { sizeBytes, revision }];
      }
    }
  }

  #object(name: string): { Bucket: string; Key: string } {
    const { bucket, prefix } = this.#destination;
    return { Bucket: bucket, Key: prefix + name };
  }

  async #attempt<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw asS3Error(error, this.#destination);
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
