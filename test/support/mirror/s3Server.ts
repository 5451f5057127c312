import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ListObjectVersionsCommand, PutBucketVersioningCommand, S3Client } from "@aws-sdk/client-s3";
import { afterAll, afterEach, beforeAll, beforeEach, vi } from "vitest";
import { ServerProcess, unusedPort } from "../../../tools/processes/serverProcess";
import { getTool } from "../../../tools/toolchain/getTool";

/** A real S3 server on this machine. Each bucket is a folder. */
export interface S3Server {
  endpoint: string;
  /** The environment of a process that has all rights at this server. */
  environment: Record<string, string>;
  folderOf(bucket: string): string;
  /** Makes a bucket, and returns a mirror's destination in it. */
  destination(bucket: string, prefix?: string): string;
  /** Returns the environment of a process that has an account at this server, but no rights. */
  withoutRights(): Promise<Record<string, string>>;
  /** The requests in order, each in the form `METHOD path`. */
  requests(): string[];
  close(): Promise<void>;
}

export async function startS3Server(): Promise<S3Server> {
  const folder = mkdtempSync(join(tmpdir(), "s3-test-"));
  const [data = "", users = "", versions = ""] = ["data", "users", "versions"].map((name) => join(folder, name));
  for (const made of [data, users, versions]) {
    mkdirSync(made);
  }
  const port = await unusedPort();
  const endpoint = `http://127.0.0.1:${port}`;
  const account = ["--access", "owner-of-all", "--secret", "owner-secret-0123456789"];
  const environment = {
    HOME: folder,
    AWS_ACCESS_KEY_ID: "owner-of-all",
    AWS_SECRET_ACCESS_KEY: "owner-secret-0123456789",
    AWS_REGION: "us-east-1",
    AWS_EC2_METADATA_DISABLED: "true",
  };
  const executable = await getTool("versitygw");
  const flags = [...account, "--port", `127.0.0.1:${port}`, "--iam-dir", users];
  const ready = async (output: string) => output.includes(endpoint) && (await fetch(endpoint)).status > 0;
  const server = await ServerProcess.start(executable, [...flags, "posix", "--versioning-dir", versions, data], ready);
  const begin = server.output.length;
  return {
    endpoint,
    environment,
    folderOf: (bucket) => join(data, bucket),
    destination(bucket, prefix = "") {
      mkdirSync(join(data, bucket), { recursive: true });
      return `s3://${bucket}/${prefix}?endpoint=${encodeURIComponent(endpoint)}`;
    },
    async withoutRights() {
      const user = { AWS_ACCESS_KEY_ID: "nobody", AWS_SECRET_ACCESS_KEY: "nobody-secret-0123456789" };
      const named = ["--access", user.AWS_ACCESS_KEY_ID, "--secret", user.AWS_SECRET_ACCESS_KEY, "--role", "user"];
      const command = ["admin", ...account, "--endpoint-url", endpoint, "create-user", ...named];
      await promisify(execFile)(executable, command);
      return { ...environment, ...user };
    },
    requests: () =>
      [...server.output.slice(begin).matchAll(/\| ([A-Z]+) +\| (\S+) \|/g)].map(
        ([, method, path]) => `${method} ${path}`,
      ),
    async close() {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export interface TestS3 {
  server: S3Server;
  bucket: string;
}

export function s3OfFile(): { server: S3Server } {
  const s3 = {} as { server: S3Server };
  // The server may have to be built first.
  beforeAll(async () => {
    s3.server = await startS3Server();
  }, 600_000);
  afterAll(() => s3.server?.close());
  return s3;
}

/** Starts an S3 server for the tests of this file. During a test, this process has credentials with all rights. */
export function testS3(): TestS3 {
  const s3: TestS3 = Object.assign(s3OfFile(), { bucket: "" });
  let count = 0;
  beforeEach(() => {
    s3.bucket = `bucket-${count++}`;
    useEnvironment(s3.server.environment);
  });
  afterEach(() => vi.unstubAllEnvs());
  return s3;
}

/** Turns on versioning for the current test's bucket. */
export async function keepVersions({ server, bucket }: TestS3): Promise<void> {
  server.destination(bucket);
  const VersioningConfiguration = { Status: "Enabled" } as const;
  await clientOf(server).send(new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration }));
}

/** Returns the keys of all versions in the current test's bucket. Delete markers count as versions. */
export async function versionsIn({ server, bucket }: TestS3): Promise<string[]> {
  const { Versions = [], DeleteMarkers = [] } = await clientOf(server).send(
    new ListObjectVersionsCommand({ Bucket: bucket }),
  );
  return [...Versions, ...DeleteMarkers].map(({ Key = "" }) => Key);
}

function clientOf({ endpoint, environment }: S3Server): S3Client {
  const { AWS_ACCESS_KEY_ID: accessKeyId = "", AWS_SECRET_ACCESS_KEY: secretAccessKey = "" } = environment;
  return new S3Client({
    endpoint,
    forcePathStyle: true,
    region: "us-east-1",
    credentials: { accessKeyId, secretAccessKey },
  });
}

/** Sets these variables until the test ends. */
export function useEnvironment(environment: Record<string, string>): void {
  for (const [name, value] of Object.entries(environment)) {
    vi.stubEnv(name, value);
  }
}
