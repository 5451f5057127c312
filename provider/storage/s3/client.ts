import { hash } from "node:crypto";
import { unescape as decodeUrl } from "node:querystring";
import { Readable } from "node:stream";
import type { CompletedPart, S3Client } from "@aws-sdk/client-s3";
import type { Agent } from "undici";
import { openStorageDispatcher } from "../../network/dispatcher";
import { baseUrl } from "../../settings/settingTable";
import { maxTimerMilliseconds } from "../../support/abort";
import { DestinationError } from "../../support/errors";
import { isAllowedBundleAddress } from "../../support/hostNames";
import { mapValues } from "../../support/objects";
import { registerSecret, registerToken } from "../../support/redact";
import { timeLimits } from "../../support/time/timeLimits";
import { words } from "../../support/words";
import { computeMd5 } from "../objectDigest";
import { type ListedObject, type ObjectPage, type ObjectStorageClient, percentEncodeName } from "../objectStore";
import { sendToStorage } from "../sendToStorage";
import type { ObjectInfo, PutObjectOptions } from "../store";
import type { MultipartUploadTarget, PartsUpload } from "../writeInParts";
import { type S3Destination, type S3Sdk, s3Sdk } from "./destination";
import { explainS3Fault, isMissingObject } from "./error";

const limits = { minPartBytes: 8 * 1024 ** 2, defaultPartBytes: 16 * 1024 ** 2, maxParts: 10_000 };

/** The AWS SDK finds the credentials, and the region if the destination has none. */
export class S3Objects implements ObjectStorageClient {
  readonly place: string;
  readonly isMissing = isMissingObject;
  readonly explain = explainS3Fault;
  readonly #sdk: S3Sdk;
  readonly #client: S3Client;
  /** The bucket's address, in the form that the SDK creates. */
  #bucketAddress = "";

  constructor(
    private readonly destination: S3Destination,
    options: { plainLoopback: boolean },
  ) {
    const { bucket, endpoint } = destination;
    this.place = `the bucket ${bucket}${endpoint === undefined ? "" : ` at ${new URL(endpoint).host}`}`;
    this.#sdk = s3Sdk.load();
    this.#client = this.#createClient(options);
  }

  target(
    name: string,
    { contentType: ContentType, cacheControl: CacheControl }: PutObjectOptions,
  ): MultipartUploadTarget {
    const object = {
      ...this.#object(name),
      ContentType,
      ...(CacheControl !== undefined && { CacheControl }),
      ...this.destination.encryption,
    };
    return {
      ...limits,
      putWhole: async (bytes, abortSignal) => {
        const command = new this.#sdk.PutObjectCommand({ ...object, Body: bytes, ...checksum(bytes) });
        return revisionOf((await this.#client.send(command, { abortSignal })).ETag);
      },
      begin: () => this.#begin(object),
    };
  }

  async head(name: string, abortSignal: AbortSignal): Promise<ObjectInfo> {
    const command = new this.#sdk.HeadObjectCommand(this.#object(name));
    const { ContentLength: sizeBytes = 0, ETag } = await this.#client.send(command, { abortSignal });
    return { sizeBytes, revision: revisionOf(ETag) };
  }

  async open(name: string, abortSignal: AbortSignal): Promise<Readable> {
    const command = new this.#sdk.GetObjectCommand(this.#object(name));
    const options: SendOptions = { abortSignal, isContent: true };
    return (await this.#client.send(command, options)).Body as Readable;
  }

  async list(begin: string, token: string | undefined, abortSignal: AbortSignal): Promise<ObjectPage> {
    const { bucket: Bucket, prefix } = this.destination;
    const command = new this.#sdk.ListObjectsV2Command({ Bucket, Prefix: prefix + begin, ContinuationToken: token });
    const page = await this.#client.send(command, { abortSignal });
    const { Contents = [], EncodingType, IsTruncated, NextContinuationToken: next = "" } = page;
    // The provider would regard an unlisted object as missing, and could overwrite it. So an incomplete listing is an
    // error. The SDK reads even an HTML page as a listing without objects and without `IsTruncated`.
    if (IsTruncated === undefined || (IsTruncated && next === "")) {
      throw new DestinationError({
        happened: `${this.place} cannot be used: its answer is no complete list of objects`,
        remedy: `give a server that lists objects as S3 does (ListObjectsV2); then run \`${words.run}\` again.`,
      });
    }
    // Some servers encode the keys although nobody has asked for it.
    const decode = (key: string) => (EncodingType === "url" ? decodeUrl(key.replaceAll("+", " ")) : key);
    const objects = Contents.map(
      ({ Key = "", Size = 0, ETag }): ListedObject => [decode(Key), { sizeBytes: Size, revision: revisionOf(ETag) }],
    );
    return {
      objects: objects.filter(([key]) => key.startsWith(prefix)).map(([key, info]) => [key.slice(prefix.length), info]),
      token: IsTruncated ? next : undefined,
    };
  }

  async remove(name: string, abortSignal: AbortSignal): Promise<void> {
    await this.#client.send(new this.#sdk.DeleteObjectCommand(this.#object(name)), { abortSignal });
  }

  address(name: string): string {
    return `${this.#bucketAddress}${percentEncodeName(this.#object(name).Key)}`;
  }

  close(): void {
    this.#client.destroy();
  }

  #object(name: string) {
    const { bucket, prefix } = this.destination;
    return { Bucket: bucket, Key: prefix + name };
  }

  /**
   * Checks the address of each request, because the SDK may find another endpoint, such as one in an environment
   * variable.
   */
  #createClient(options: { plainLoopback: boolean }): S3Client {
    const { region, endpoint } = this.destination;
    if (endpoint !== undefined) {
      this.#requireSafe(new URL(endpoint), options);
    }
    const client = new this.#sdk.S3Client({
      ...(region !== undefined && { region }),
      // Few servers other than AWS have a host name for each bucket, so the bucket is in the path.
      ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
      // The signature already contains each part's sha256, and some servers refuse a second checksum.
      requestChecksumCalculation: "WHEN_REQUIRED",
      responseChecksumValidation: "WHEN_REQUIRED",
      // `StorageRetrier` repeats the requests of every storage.
      maxAttempts: 1,
      // Our HTTP library sends a body at once, without waiting for `100 Continue`.
      expectContinueHeader: false,
      requestHandler: s3HttpHandler(openStorageDispatcher()),
    });
    client.middlewareStack.add(
      (next) => async (step) => {
        const { protocol, hostname, port, path } = step.request as SdkRequest;
        this.#requireSafe({ protocol, hostname }, options);
        const { secretAccessKey, sessionToken = "" } = await client.config.credentials();
        registerSecret(secretAccessKey);
        registerToken(sessionToken);
        const { Key: key } = step.input as { Key?: string };
        if (key !== undefined) {
          const address = `${protocol}//${hostname}${port === undefined ? "" : `:${port}`}${path}`;
          this.#bucketAddress = address.slice(0, -percentEncodeName(key).length);
        }
        return next(step);
      },
      { step: "finalizeRequest", priority: "high", name: "safeAddress" },
    );
    return client;
  }

  #requireSafe(address: { protocol: string; hostname: string }, options: { plainLoopback: boolean }): void {
    if (!isAllowedBundleAddress(address, options)) {
      throw new DestinationError({
        happened: `the bucket ${this.destination.bucket} would be reached by plain http at ${address.hostname}.`,
        remedy: `use an https endpoint: plain http is allowed only if the endpoint and the platform (${baseUrl.variable}) are both on this machine.`,
      });
    }
  }

  async #begin(object: { Bucket: string; Key: string }): Promise<PartsUpload> {
    const [client, sdk] = [this.#client, this.#sdk];
    // Only the answer contains the id that is needed to abort the upload. So no signal ends this request.
    const begun = { ...object, ...("ChecksumSHA256" in checksum(nothing) && { ChecksumAlgorithm: "SHA256" as const }) };
    const { UploadId } = await client.send(new sdk.CreateMultipartUploadCommand(begun));
    const upload = { Bucket: object.Bucket, Key: object.Key, UploadId };
    const completed: CompletedPart[] = [];
    return {
      async put(number, bytes, abortSignal) {
        const part = { ...upload, PartNumber: number, Body: bytes, ...checksum(bytes) };
        const { ETag, ChecksumSHA256 } = await client.send(new sdk.UploadPartCommand(part), { abortSignal });
        completed[number - 1] = { PartNumber: number, ETag, ...(ChecksumSHA256 !== undefined && { ChecksumSHA256 }) };
      },
      async complete() {
        const command = new sdk.CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: completed } });
        return revisionOf((await client.send(command, { requestTimeout: timeLimits.joinParts })).ETag);
      },
      async abort() {
        const abortSignal = AbortSignal.timeout(timeLimits.abandon);
        await client.send(new sdk.AbortMultipartUploadCommand(upload), { abortSignal });
      },
    };
  }
}

/** ETags from different answers are compared. They may have quotes or none, and proxies may mark them as weak. */
function revisionOf(etag = ""): string {
  return etag === "" ? "" : `"${etag.replace(/^W\/|"/g, "")}"`;
}

const nothing = Buffer.alloc(0);

/**
 * A bucket with Object Lock requires a checksum. Every S3 server accepts MD5. A machine under FIPS has no MD5, and uses
 * SHA-256.
 */
function checksum(bytes: Buffer): { ContentMD5: string } | { ChecksumSHA256: string } {
  const md5 = computeMd5(bytes)?.toString("base64");
  return md5 === undefined ? { ChecksumSHA256: hash("sha256", bytes, "base64") } : { ContentMD5: md5 };
}

interface SdkRequest {
  protocol: string;
  hostname: string;
  port?: number;
  path: string;
  query?: Record<string, string | string[] | null>;
  method: string;
  headers: Record<string, string>;
  body?: string | Uint8Array;
}

/** The options that the SDK's `send` accepts. */
interface SendOptions {
  abortSignal?: AbortSignal;
  /** In milliseconds; undefined for the usual limit. */
  requestTimeout?: number;
  isContent?: boolean;
}

function s3HttpHandler(agent: Agent) {
  return {
    async handle(request: SdkRequest, options: SendOptions = {}) {
      const { abortSignal = new AbortController().signal, isContent = false } = options;
      const usual = request.body ? maxTimerMilliseconds : timeLimits.storageAnswer;
      const { status, headers, body, content } = await sendToStorage(agent, {
        address: addressOf(request),
        method: request.method,
        headers: request.headers,
        body: request.body,
        signal: abortSignal,
        timeout: options.requestTimeout ?? usual,
        isContent: (code) => isContent && code < 300,
      });
      return {
        response: {
          statusCode: status,
          headers: mapValues(headers, (_, value) => [value].flat().join(", ")),
          body: content ?? Readable.from([body]),
        },
      };
    },
    updateHttpClientConfig: () => {},
    httpHandlerConfigs: () => ({}),
    destroy: () => void agent.destroy().catch(() => {}),
  };
}

/** In the signed query, a blank is `%20`, and not a plus sign. */
function addressOf({ protocol, hostname, port, path, query = {} }: SdkRequest): URL {
  const address = new URL(`${protocol}//${hostname}${port === undefined ? "" : `:${port}`}${path}`);
  const fields = new URLSearchParams();
  for (const [name, values] of Object.entries(query)) {
    [values ?? ""].flat().forEach((value) => void fields.append(name, value));
  }
  address.search = fields.toString().replaceAll("+", "%20");
  return address;
}
