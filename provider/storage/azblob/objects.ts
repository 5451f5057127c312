import { createHash, randomBytes } from "node:crypto";
import type { Readable } from "node:stream";
import type { ContainerClient } from "@azure/storage-blob";
import type { Agent } from "undici";
import { openStorageDispatcher } from "../../network/dispatcher";
import { DestinationError } from "../../support/errors";
import { isSafeAddress } from "../../support/hostNames";
import type { StorageFault } from "../attempt";
import { encodedName, type ObjectClient, type ObjectPage } from "../objectStore";
import type { ObjectInfo, PutOptions } from "../store";
import type { PartsTarget, PartsUpload } from "../writeInParts";
import { findAccess } from "./credentials";
import { type AzblobDestination, azureSdk } from "./destination";
import { explainAzureFault, isMissingBlob } from "./error";
import { azureHttpClient } from "./http";

/** Azure accepts no more blocks. */
const limits = { minPartBytes: 8 * 1024 ** 2, defaultPartBytes: 16 * 1024 ** 2, maxParts: 50_000 };

/** Every request is repeated by the rule of all storages, and not by the SDK. */
const retryOptions = { maxTries: 1 };

const namesInPage = 1_000;

export class AzureBlobs implements ObjectClient {
  readonly place: string;
  readonly #prefix: string;
  readonly #address: string;
  readonly #agent: Agent;
  readonly #container: ContainerClient;

  /** @throws DestinationError if Azure's SDK is not installed, or the environment holds no access to the account. */
  constructor(destination: AzblobDestination, options: { plainLoopback: boolean }) {
    const { account, container, prefix } = destination;
    const { BlobServiceClient, StorageSharedKeyCredential } = azureSdk.load();
    const { endpoint, credentials } = findAccess(destination);
    const { origin, host } = new URL(endpoint);
    if (!isSafeAddress(new URL(endpoint), options)) {
      throw new DestinationError({
        happened: `the container ${container} would be reached by plain http at ${host}`,
        remedy:
          "use an https endpoint: plain http is allowed only if the endpoint and the platform are both on this machine.",
      });
    }
    this.place = `the container ${container} of the storage account ${account}`;
    this.#prefix = prefix;
    this.#address = `${endpoint}/${encodedName(container)}/`;
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

  target(name: string, { contentType: blobContentType, cacheControl }: PutOptions): PartsTarget {
    const blob = this.#container.getBlockBlobClient(this.#prefix + name);
    const blobHTTPHeaders = {
      blobContentType,
      ...(cacheControl !== undefined && { blobCacheControl: cacheControl }),
    };
    return {
      ...limits,
      async putWhole(bytes, abortSignal) {
        const transactionalContentMD5 = md5(bytes);
        const put = { blobHTTPHeaders, transactionalContentMD5, abortSignal };
        return revisionOf((await blob.upload(bytes, bytes.length, put)).etag);
      },
      async begin(): Promise<PartsUpload> {
        // Another writer's blocks of the same blob have other ids, so that nothing of theirs is ever committed.
        const upload = randomBytes(8).toString("hex");
        const blocks: string[] = [];
        return {
          async put(number, bytes, abortSignal) {
            const id = Buffer.from(`${upload}-${String(number).padStart(6, "0")}`).toString("base64");
            const transactionalContentMD5 = md5(bytes);
            await blob.stageBlock(id, bytes, bytes.length, { transactionalContentMD5, abortSignal });
            blocks[number - 1] = id;
          },
          complete: async (abortSignal) =>
            revisionOf((await blob.commitBlockList(blocks, { blobHTTPHeaders, abortSignal })).etag),
          // Azure has no request for it: it drops blocks that nobody has committed after a week.
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
    const blobs: ListedBlob[] = page?.segment.blobItems ?? [];
    return {
      objects: blobs
        // An account with folders lists them, too.
        .filter(({ metadata }) => metadata?.hdi_isfolder !== "true")
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
    return `${this.#address}${encodedName(this.#prefix + name)}`;
  }

  isMissing(error: unknown): boolean | "perhaps" {
    return isMissingBlob(error);
  }

  explain(error: unknown): StorageFault | undefined {
    return explainAzureFault(error);
  }

  close(): void {
    this.#agent.destroy().catch(() => {});
  }
}

interface ListedBlob {
  name: string;
  properties: { contentLength?: number; etag: string };
  metadata?: Record<string, string>;
}

/** A listing has no quotes around it, and a header has. */
function revisionOf(etag: string | undefined): string {
  return (etag ?? "").replace(/^"|"$/g, "");
}

/** The MD5 of a part: Azure compares it with the bytes that arrive. */
function md5(bytes: Buffer): Uint8Array {
  return createHash("md5").update(bytes).digest();
}
