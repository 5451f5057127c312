import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { HeadObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import {
  BlobServiceClient,
  type ContainerClient,
  ContainerSASPermissions,
  generateBlobSASQueryParameters,
  type StorageSharedKeyCredential,
} from "@azure/storage-blob";
import { afterAll, afterEach, beforeAll, beforeEach, vi } from "vitest";
import { AzureBlobs } from "../../../provider/storage/azblob/client";
import { type ObjectDestination, parseDestination } from "../../../provider/storage/destination";
import { type ObjectStorageClient, ObjectStore } from "../../../provider/storage/objectStore";
import { S3Objects } from "../../../provider/storage/s3/client";
import type { OpenStoreOptions } from "../../../provider/storage/scheme";
import { type Azurite, startAzurite } from "../../../tools/servers/startAzurite";
import { never } from "../clientUnderTest";
import { testS3, useEnvironment } from "./s3Server";
import { filesIn } from "./storage";

/** A bucket or container on a real server, for one test. The test can read and change it as another user. */
export interface ObjectPlace {
  /** The name of the bucket or container in error texts. */
  readonly words: string;
  /**
   * Returns a mirror's destination in this bucket or container. An `endpoint`, such as a proxy's, replaces the server's
   * own endpoint.
   */
  destination(prefix?: string, endpoint?: string): string;
  /** A bucket or container that does not exist, and the server's error code for it. */
  readonly missing: { destination: string; code: string };
  readonly endpoint: string;
  /** The address of the bucket or container, with a slash at the end. An object's name follows it. */
  readonly root: string;
  names(): Promise<string[]>;
  read(name: string): Promise<Buffer>;
  /** Writes an object as a user who is not the mirror's owner. */
  write(name: string, content: Buffer | string): Promise<void>;
  remove(name: string): Promise<void>;
  removeWhole(): Promise<void>;
  headers(name: string): Promise<{ contentType: unknown; cacheControl: unknown }>;
  /** The requests of this test so far, as `METHOD name`. A request for the bucket or container has no name. */
  requests(): string[];
  /** The secrets that this process's environment contains. */
  readonly secrets: readonly string[];
  /** Puts wrong credentials into this process's environment. Returns the wrong secret. */
  useWrongSecret(): string;
  /** Puts credentials that do not allow writing into this process's environment. */
  withoutRights(): Promise<void>;
}

export interface StorageAddress {
  words: string;
  /** Returns a mirror's destination on another server, for example a hostile one. */
  at(endpoint: string): string;
  /** Environment variables with credentials that need no token service. */
  secrets: Record<string, string>;
}

interface ObjectStorage extends StorageAddress {
  client: new (destination: never, options: OpenStoreOptions) => ObjectStorageClient;
  placeOfTest(): ObjectPlace;
}

export const objectStorages: Record<ObjectDestination["kind"], ObjectStorage> = {
  s3: {
    words: "a bucket",
    at: (endpoint) => `s3://bucket/docs?region=eu-central-1&endpoint=${endpoint}`,
    secrets: { AWS_ACCESS_KEY_ID: "access-of-the-test", AWS_SECRET_ACCESS_KEY: "s3cr3t-of-the-bucket" },
    client: S3Objects,
    placeOfTest: bucketOfTest,
  },
  azblob: {
    words: "a container",
    at: (endpoint) => {
      allowSecretsTo(endpoint);
      return `azblob://account/container/docs?endpoint=${endpoint}/account`;
    },
    secrets: { AZURE_STORAGE_KEY: Buffer.from("s3cr3t-of-the-account").toString("base64") },
    client: AzureBlobs,
    placeOfTest: containerOfTest,
  },
};

export const eachObjectPlace = Object.entries(objectStorages).map(
  ([kind, { placeOfTest }]) => [kind as ObjectDestination["kind"], placeOfTest] as const,
);

/** Allows this process to send credentials to this endpoint, until `vi.unstubAllEnvs`. */
function allowSecretsTo(endpoint: string): void {
  const allowed = process.env.DOCS_PLATFORM_SECRETS_ONLY_TO ?? "";
  useEnvironment({ DOCS_PLATFORM_SECRETS_ONLY_TO: `${allowed} ${endpoint}` });
}

/** Each object storage, by its name in error texts. */
export const eachObjectAddress = Object.values(objectStorages).map((storage) => [storage.words, storage] as const);

export const objectDestination = (address: string) => parseDestination(address) as ObjectDestination;

const usual: OpenStoreOptions = { plainLoopback: true, signal: never };

/** Opens a store synchronously. This file has already imported the code of all stores, so nothing must be loaded. */
export function openedStore(address: string, options: OpenStoreOptions = usual): ObjectStore {
  const destination = objectDestination(address);
  return new ObjectStore(new objectStorages[destination.kind].client(destination as never, options), options);
}

export function objectStoreAt({ at }: StorageAddress, endpoint: string, signal = never): ObjectStore {
  return openedStore(at(endpoint), { ...usual, signal });
}

/** Puts each object storage's credentials into this process's environment, until `vi.unstubAllEnvs`. */
export function useObjectSecrets(): void {
  for (const { secrets } of Object.values(objectStorages)) {
    useEnvironment(secrets);
  }
}

function bucketOfTest(): ObjectPlace {
  const s3 = testS3();
  let client: S3Client;
  beforeEach(() => {
    s3.server.destination(s3.bucket);
    client = new S3Client({ endpoint: s3.server.endpoint, forcePathStyle: true });
  });
  afterEach(() => client.destroy());
  const fileOf = (name: string) => join(s3.server.folderOf(s3.bucket), name);
  return {
    get words() {
      return `the bucket ${s3.bucket} at ${new URL(s3.server.endpoint).host}`;
    },
    destination(prefix = "", endpoint = s3.server.endpoint) {
      const address = new URL(s3.server.destination(s3.bucket, prefix));
      address.searchParams.set("endpoint", endpoint);
      return address.href;
    },
    get missing() {
      return { destination: `s3://never-made?endpoint=${s3.server.endpoint}`, code: "NoSuchBucket" };
    },
    get endpoint() {
      return s3.server.endpoint;
    },
    get root() {
      return `${s3.server.endpoint}/${s3.bucket}/`;
    },
    names: async () => filesIn(s3.server.folderOf(s3.bucket)).filter((name) => !name.startsWith(".sgwtmp")),
    read: async (name) => readFileSync(fileOf(name)),
    async write(name, Body) {
      await client.send(new PutObjectCommand({ Bucket: s3.bucket, Key: name, Body }));
    },
    remove: async (name) => rmSync(fileOf(name)),
    removeWhole: async () => rmSync(s3.server.folderOf(s3.bucket), { recursive: true }),
    async headers(name) {
      const head = await client.send(new HeadObjectCommand({ Bucket: s3.bucket, Key: name }));
      return { contentType: head.ContentType, cacheControl: head.CacheControl };
    },
    requests: () => requestsBelow(s3.server.requests(), `/${s3.bucket}`),
    get secrets() {
      const { AWS_ACCESS_KEY_ID: id = "", AWS_SECRET_ACCESS_KEY: secret = "" } = s3.server.environment;
      return [id, secret];
    },
    useWrongSecret() {
      vi.stubEnv("AWS_SECRET_ACCESS_KEY", "wrong-0123456789");
      return "wrong-0123456789";
    },
    async withoutRights() {
      useEnvironment(await s3.server.withoutRights());
    },
  };
}

function containerOfTest(): ObjectPlace {
  let azurite: Azurite;
  let service: BlobServiceClient;
  let container: ContainerClient;
  let name = "";
  let count = 0;
  // The server may have to be installed first.
  beforeAll(async () => {
    azurite = await startAzurite();
    service = BlobServiceClient.fromConnectionString(azurite.environment.AZURE_STORAGE_CONNECTION_STRING);
  }, 600_000);
  afterAll(() => azurite?.server.close());
  beforeEach(async () => {
    name = `container-${count++}`;
    container = service.getContainerClient(name);
    await container.create();
    useEnvironment(azurite.environment);
  });
  afterEach(() => vi.unstubAllEnvs());
  const keyIn = (text: string) => /AccountKey=([^;]+)/.exec(text)?.[1] ?? "";
  const parameter = (endpoint: string) => `?endpoint=${encodeURIComponent(endpoint)}`;
  return {
    get words() {
      return `the container ${name} of the storage account ${azurite.account}`;
    },
    destination(prefix = "", endpoint = azurite.endpoint) {
      if (endpoint !== azurite.endpoint) {
        allowSecretsTo(endpoint);
      }
      return `azblob://${azurite.account}/${name}/${prefix}${parameter(endpoint.includes(azurite.account) ? endpoint : `${endpoint}/${azurite.account}`)}`;
    },
    get missing() {
      return { destination: `azblob://${azurite.account}/never-made`, code: "ContainerNotFound" };
    },
    get endpoint() {
      return new URL(azurite.endpoint).origin;
    },
    get root() {
      return `${azurite.endpoint}/${name}/`;
    },
    async names() {
      const names: string[] = [];
      for await (const blob of container.listBlobsFlat()) {
        names.push(blob.name);
      }
      return names.sort();
    },
    read: (blob) => container.getBlobClient(blob).downloadToBuffer(),
    async write(blob, content) {
      await container.getBlockBlobClient(blob).upload(content, Buffer.byteLength(content));
    },
    async remove(blob) {
      await container.deleteBlob(blob);
    },
    async removeWhole() {
      await container.delete();
    },
    async headers(blob) {
      const { contentType, cacheControl } = await container.getBlobClient(blob).getProperties();
      return { contentType, cacheControl };
    },
    requests() {
      const lines = azurite.server.output.matchAll(/"([A-Z]+) (\S+) HTTP/g);
      const all = [...lines].map(([, method, path = ""]) => `${method} ${path.replace(/\?.*/, "")}`);
      return requestsBelow(all, `/${azurite.account}/${name}`).filter((request) => request !== "PUT ");
    },
    get secrets() {
      return [keyIn(azurite.environment.AZURE_STORAGE_CONNECTION_STRING)];
    },
    useWrongSecret() {
      const wrong = Buffer.from("wrong-0123456789".repeat(4)).toString("base64");
      const text = azurite.environment.AZURE_STORAGE_CONNECTION_STRING;
      vi.stubEnv("AZURE_STORAGE_CONNECTION_STRING", text.replace(keyIn(text), wrong));
      return wrong;
    },
    async withoutRights() {
      const permissions = ContainerSASPermissions.parse("rl");
      const expiresOn = new Date(Date.now() + 3_600_000);
      const values = { containerName: name, permissions, expiresOn };
      const signature = generateBlobSASQueryParameters(values, service.credential as StorageSharedKeyCredential);
      const parts = [`SharedAccessSignature=${signature}`, `BlobEndpoint=${azurite.endpoint}`];
      vi.stubEnv("AZURE_STORAGE_CONNECTION_STRING", parts.join(";"));
    },
  };
}

/** Returns the requests for a bucket or container. Removes the name of this place from the requests' paths. */
function requestsBelow(requests: readonly string[], place: string): string[] {
  return requests.flatMap((request) => {
    const [method, path = ""] = request.split(" ");
    return path === place || path.startsWith(`${place}/`) ? [`${method} ${path.slice(place.length + 1)}`] : [];
  });
}
