import type { CompletedPart, S3Client } from "@aws-sdk/client-s3";
import { TaskPool } from "../../support/taskPool";
import type { PutOptions } from "../store";
import { withChecksum } from "./checksum";
import { type Part, partsOf } from "./parts";
import type { S3Sdk } from "./sdk";

/** The number of parts of one object that are sent at the same time. */
const partsAtOnce = 4;
const minPartBytes = 8 * 1024 ** 2;
/** S3 accepts no more parts. Some servers want all parts except the last to have the same size. */
const maxParts = 10_000;
/** The part size for an object of unknown size: up to 156 GiB fit. */
const defaultPartBytes = 16 * 1024 ** 2;

/** A failed or cancelled run waits at most this time for S3 to drop the received parts; milliseconds. */
const abortTimeout = 10_000;

/** The key and the headers of an object. */
export interface S3Object {
  Bucket: string;
  Key: string;
  ContentType: string;
  CacheControl?: string;
}

/**
 * Writes content under a key, whole or not at all: in one request, or in parts that stay invisible until the content has
 * ended without an error. The parts reuse a few buffers. The SDK's own upload allocates new ones, and takes twice the
 * memory and almost twice the CPU time.
 * @returns the object's ETag.
 */
export async function writeObject(
  client: S3Client,
  sdk: S3Sdk,
  object: S3Object,
  content: AsyncIterable<Buffer>,
  { expectedBytes, signal }: PutOptions,
): Promise<string> {
  const partBytes =
    expectedBytes === undefined ? defaultPartBytes : Math.max(minPartBytes, Math.ceil(expectedBytes / maxParts));
  let multipart: MultipartUpload | undefined;
  try {
    for await (const part of partsOf(content, partBytes, expectedBytes)) {
      if (part.last && multipart === undefined) {
        const { ETag: etag = "" } = await withChecksum(client, part.bytes, (checksum) =>
          client.send(new sdk.PutObjectCommand({ ...object, Body: part.bytes, ...checksum }), { abortSignal: signal }),
        );
        return etag;
      }
      multipart ??= await MultipartUpload.begin(client, sdk, object, signal);
      await multipart.add(part);
    }
    return (await multipart?.complete()) ?? "";
  } catch (error) {
    await multipart?.abort();
    throw error;
  }
}

class MultipartUpload {
  readonly #client: S3Client;
  readonly #sdk: S3Sdk;
  readonly #upload: { Bucket: string; Key: string; UploadId: string | undefined };
  readonly #uploads = new TaskPool(partsAtOnce);
  readonly #completed: CompletedPart[] = [];
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;
  #parts = 0;

  private constructor(
    client: S3Client,
    sdk: S3Sdk,
    { Bucket, Key }: S3Object,
    id: string | undefined,
    signal: AbortSignal,
  ) {
    this.#client = client;
    this.#sdk = sdk;
    this.#upload = { Bucket, Key, UploadId: id };
    this.#signal = AbortSignal.any([signal, this.#stop.signal]);
  }

  static async begin(client: S3Client, sdk: S3Sdk, object: S3Object, signal: AbortSignal): Promise<MultipartUpload> {
    // It takes no signal: only its answer contains the id that is needed to abort the upload.
    const { UploadId: id } = await client.send(new sdk.CreateMultipartUploadCommand(object));
    return new MultipartUpload(client, sdk, object, id, signal);
  }

  /** Resolves as soon as another part can be added. */
  async add({ bytes, release }: Part): Promise<void> {
    const number = ++this.#parts;
    await this.#uploads.add(async () => {
      const { ETag: etag } = await withChecksum(this.#client, bytes, (checksum) => {
        const part = { ...this.#upload, PartNumber: number, Body: bytes, ...checksum };
        return this.#client.send(new this.#sdk.UploadPartCommand(part), { abortSignal: this.#signal });
      });
      this.#completed.push({ PartNumber: number, ETag: etag });
      release();
    });
  }

  async complete(): Promise<string | undefined> {
    await this.#uploads.drain();
    const parts = this.#completed.sort((a, b) => (a.PartNumber ?? 0) - (b.PartNumber ?? 0));
    const command = new this.#sdk.CompleteMultipartUploadCommand({
      ...this.#upload,
      MultipartUpload: { Parts: parts },
    });
    return (await this.#client.send(command)).ETag;
  }

  /** Drops the received parts. It never fails: the error before it is the cause to report. */
  async abort(): Promise<void> {
    this.#stop.abort();
    await this.#uploads.drain().catch(() => {});
    const command = new this.#sdk.AbortMultipartUploadCommand(this.#upload);
    await this.#client.send(command, { abortSignal: AbortSignal.timeout(abortTimeout) }).catch(() => {});
  }
}
