import { randomBytes } from "node:crypto";
import type { Readable } from "node:stream";
import type { BlobItem, ContainerClient, IHttpClient } from "@azure/storage-blob";
import type { Agent } from "undici";
import { openStorageDispatcher } from "../../network/dispatcher";
import { maxTimerMilliseconds } from "../../support/abort";
import { DestinationError } from "../../support/errors";
import { isAllowedBundleAddress } from "../../support/hostNames";
import { timeLimits } from "../../support/time/timeLimits";
import { computeMd5 } from "../objectDigest";
import { type ObjectPage, type ObjectStorageClient, percentEncodeName } from "../objectStore";
import { sendToStorage } from "../sendToStorage";
import type { ObjectInfo, PutObjectOptions } from "../store";
import type { MultipartUploadTarget, PartsUpload } from "../writeInParts";
import { type AzblobDestination, azureSdk, findAzureAccess } from "./destination";
import { explainAzureFault, isMissingBlob } from "./error";

const limits = { minPartBytes: 8 * 1024 ** 2, defaultPartBytes: 16 * 1024 ** 2, maxParts: 50_000 };

/** `StorageRetrier` repeats the requests of every storage, so the SDK must not repeat them. */
const retryOptions = { maxTries: 1 };

const namesInPage = 1_000;

export class AzureBlobs implements ObjectStorageClient {
  readonly place: string;
  readonly isMissing = isMissingBlob;
  readonly explain = explainAzureFault;
  readonly #prefix: string;
  readonly #address: string;
  readonly #agent: Agent;
  readonly #container: ContainerClient;

  /** @throws DestinationError if Azure's SDK is not installed, or if the environment has no access to the account. */
  constructor(destination: AzblobDestination, options: { plainLoopback: boolean }) {
    const { account, container, prefix } = destination;
    const { BlobServiceClient, StorageSharedKeyCredential } = azureSdk.load();
    const { endpoint, credentials } = findAzureAccess(destination);
    const { origin, host } = new URL(endpoint);
    if (!isAllowedBundleAddress(new URL(endpoint), options)) {
      throw new DestinationError({
        happened: `the container ${container} would be reached by plain http at ${host}`,
        remedy:
          "use an https endpoint: plain http is allowed only if the endpoint and the platform are both on this machine.",
      });
    }
    this.place = `the container ${container} of the storage account ${account}`;
    this.#prefix = prefix;
    this.#address = `${endpoint}/${percentEncodeName(container)}/`;
    this.#agent = openStorageDispatcher();
    const httpClient = azureHttpClient(this.#agent, origin);
    const service =
      credentials.kind === "key"
        ? new BlobServiceClient(endpoint, new StorageSharedKeyCredential(account, credentials.key), {
            httpClient,
            retryOptions,
          })
        : new BlobServiceClient(`${endpoint}?${credentials.signature}`, undefined, { httpClient, retryOptions });
    this.#container = service.getContainerClient(container);
  }

  target(name: string, { contentType: blobContentType, cacheControl }: PutObjectOptions): MultipartUploadTarget {
    const blob = this.#container.getBlockBlobClient(this.#prefix + name);
    const blobHTTPHeaders = {
      blobContentType,
      ...(cacheControl !== undefined && { blobCacheControl: cacheControl }),
    };
    return {
      ...limits,
      async putWhole(bytes, abortSignal) {
        const put = { blobHTTPHeaders, ...checksum(bytes), abortSignal };
        return revisionOf((await blob.upload(bytes, bytes.length, put)).etag);
      },
      async begin(): Promise<PartsUpload> {
        // A part of every block id, so that two uploads to one blob never use the same ids.
        const upload = randomBytes(8).toString("hex");
        const blocks: string[] = [];
        return {
          async put(number, bytes, abortSignal) {
            const id = Buffer.from(`${upload}-${String(number).padStart(6, "0")}`).toString("base64");
            await blob.stageBlock(id, bytes, bytes.length, { ...checksum(bytes), abortSignal });
            blocks[number - 1] = id;
          },
          complete: async (abortSignal) =>
            revisionOf((await blob.commitBlockList(blocks, { blobHTTPHeaders, abortSignal })).etag),
          // Azure has no request to abort an upload, and deletes uncommitted blocks after a week.
          abort: async () => {},
        };
      },
    };
  }

  async head(name: string, abortSignal: AbortSignal): Promise<ObjectInfo> {
    const blob = this.#container.getBlobClient(this.#prefix + name);
    const { contentLength: sizeBytes = 0, etag } = await blob.getProperties({ abortSignal });
    return { sizeBytes, revision: revisionOf(etag) };
  }

  async open(name: string, abortSignal: AbortSignal): Promise<Readable> {
    const blob = this.#container.getBlobClient(this.#prefix + name);
    const { readableStreamBody } = await blob.download(0, undefined, { abortSignal });
    return readableStreamBody as Readable;
  }

  async list(begin: string, continuationToken: string | undefined, abortSignal: AbortSignal): Promise<ObjectPage> {
    const options = { prefix: this.#prefix + begin, includeMetadata: true, abortSignal };
    const settings = { maxPageSize: namesInPage, ...(continuationToken !== undefined && { continuationToken }) };
    const { value: page } = await this.#container.listBlobsFlat(options).byPage(settings).next();
    const blobs: BlobItem[] = page?.segment.blobItems ?? [];
    // The objects of the SDK do not show every folder. Therefore `isFolder` also gets each blob's XML.
    const written = String(page?._response.bodyAsText ?? "")
      .split("<Blob>")
      .slice(1);
    return {
      objects: blobs
        .filter(({ metadata = {} }, at) => !isFolder(metadata, written[at] ?? ""))
        .map(({ name, properties: { contentLength: sizeBytes = 0, etag } }) => [
          name.slice(this.#prefix.length),
          { sizeBytes, revision: revisionOf(etag) },
        ]),
      token: page?.continuationToken || undefined,
    };
  }

  async remove(name: string, abortSignal: AbortSignal): Promise<void> {
    await this.#container.getBlobClient(this.#prefix + name).deleteIfExists({ abortSignal });
  }

  address(name: string): string {
    return `${this.#address}${percentEncodeName(this.#prefix + name)}`;
  }

  close(): void {
    this.#agent.destroy().catch(() => {});
  }
}

/**
 * An account with a hierarchical namespace also lists folders. In other accounts, some tools store a folder as an empty
 * blob with the metadata `hdi_isfolder`.
 */
function isFolder(metadata: Readonly<Record<string, string>>, written: string): boolean {
  const marks = Object.entries(metadata).map(([name, value]) => `${name}=${value}`.toLowerCase());
  return marks.includes("hdi_isfolder=true") || written.includes("<ResourceType>directory</ResourceType>");
}

/** Removes the quotes, because an ETag has quotes in a header, but not in a listing. */
function revisionOf(etag: string | undefined): string {
  return (etag ?? "").replace(/^W\/|"/g, "");
}

/** Empty on a machine under FIPS, which has no MD5. Azure does not require an MD5. */
function checksum(bytes: Buffer): { transactionalContentMD5?: Uint8Array } {
  const transactionalContentMD5 = computeMd5(bytes);
  return transactionalContentMD5 === undefined ? {} : { transactionalContentMD5 };
}

function azureHttpClient(agent: Agent, origin: string): IHttpClient {
  return {
    async sendRequest(request) {
      const address = new URL(request.url);
      if (address.origin !== origin) {
        throw new Error("the answer redirects to another server; nothing was sent there");
      }
      const { body, content, ...answer } = await sendToStorage(agent, {
        address,
        method: request.method,
        headers: request.headers.toJson({ preserveCase: true }),
        body: request.body,
        signal: (request.abortSignal as AbortSignal | undefined) ?? new AbortController().signal,
        timeout: request.body === undefined ? timeLimits.storageAnswer : maxTimerMilliseconds,
        isContent: (status) => request.streamResponseStatusCodes?.has(status) ?? false,
      });
      const headers = request.headers.clone();
      for (const name of headers.headerNames()) {
        headers.remove(name);
      }
      for (const [name, value] of Object.entries(answer.headers)) {
        headers.set(name, [value].flat().join(", "));
      }
      const { status } = answer;
      return content === undefined
        ? { request, status, headers, bodyAsText: body.toString("utf8") }
        : { request, status, headers, readableStreamBody: content };
    },
  };
}
