import type { CompletedPart, S3Client } from "@aws-sdk/client-s3";
import { TaskPool } from "../../../support/taskPool";
import type { PutOptions } from "../store";
import { type Part, partsOf } from "./parts";
import type { S3Sdk } from "./sdk";

/** The parts of one object that are on their way at the same time. */
const partsAtOnce = 4;
const minPartBytes = 8 * 1024 ** 2;
/** S3 takes no more, and some servers want all but the last to be of one size. */
const maxParts = 10_000;
/** Of an object whose size is not known beforehand, so that up to 156 GiB fit. */
const defaultPartBytes = 16 * 1024 ** 2;

/** A run that failed or was cancelled waits no longer than that until S3 has dropped what it has got; milliseconds. */
const abortTimeout = 10_000;

/** Where an object goes, and how it is described there. */
export interface S3Object {
  Bucket: string;
  Key: string;
  ContentType: string;
  CacheControl?: string;
}

/**
 * Puts content under a key, whole or not at all: in one request, or in parts, of which nothing is seen before the content
 * has ended well. The parts go through a few buffers that are used again and again; the SDK's own upload, which makes
 * new ones, takes twice the memory and almost twice the work.
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
        const { ETag: etag = "" } = await client.send(new sdk.PutObjectCommand({ ...object, Body: part.bytes }));
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
    // It is not given up: only its answer tells what there is to take back.
    const { UploadId: id } = await client.send(new sdk.CreateMultipartUploadCommand(object));
    return new MultipartUpload(client, sdk, object, id, signal);
  }

  /** Resolves as soon as there is room for one more. */
  async add({ bytes, release }: Part): Promise<void> {
    const number = ++this.#parts;
    await this.#uploads.add(async () => {
      const command = new this.#sdk.UploadPartCommand({ ...this.#upload, PartNumber: number, Body: bytes });
      const { ETag: etag } = await this.#client.send(command, { abortSignal: this.#signal });
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

  /** Drops what S3 has got. It never fails: what led to it is the better cause. */
  async abort(): Promise<void> {
    this.#stop.abort();
    await this.#uploads.drain().catch(() => {});
    const command = new this.#sdk.AbortMultipartUploadCommand(this.#upload);
    await this.#client.send(command, { abortSignal: AbortSignal.timeout(abortTimeout) }).catch(() => {});
  }
}
