import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { buildVersitygw } from "../../tools/versitygw/buildVersitygw";
import { unusedPort } from "../support/loopback";

/** A real S3 server whose buckets are folders. */
export interface S3Server {
  endpoint: string;
  /** Environment of a process that may write there. */
  environment: Record<string, string>;
  /** The folder behind a bucket. */
  folderOf(bucket: string): string;
  /** A destination below a bucket, which is made. */
  destination(bucket: string, prefix?: string): string;
  /** Environment of a process that is known there, and may do nothing. */
  withoutRights(): Promise<Record<string, string>>;
  /** The requests so far, as `METHOD path`. */
  requests(): string[];
  close(): Promise<void>;
}

export async function startS3Server(): Promise<S3Server> {
  const folder = mkdtempSync(join(tmpdir(), "s3-test-"));
  const [data, users] = [join(folder, "data"), join(folder, "users")];
  for (const made of [data, users]) {
    mkdirSync(made);
  }
  const port = await unusedPort();
  const endpoint = `http://127.0.0.1:${port}`;
  const environment = {
    HOME: folder,
    AWS_ACCESS_KEY_ID: "mirror-test",
    AWS_SECRET_ACCESS_KEY: "mirror-test-secret-0123456789",
    AWS_REGION: "us-east-1",
    AWS_EC2_METADATA_DISABLED: "true",
  };
  const { AWS_ACCESS_KEY_ID: access, AWS_SECRET_ACCESS_KEY: secret } = environment;
  const account = ["--access", access, "--secret", secret];
  const executable = await buildVersitygw();
  const flags = [...account, "--port", `127.0.0.1:${port}`, "--iam-dir", users, "posix", data];
  const server = spawn(executable, flags, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  for (const stream of [server.stdout, server.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      log += text;
    });
  }
  await ready(endpoint, server, () => log);
  const begin = log.length;
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
      [...log.slice(begin).matchAll(/\| ([A-Z]+) +\| (\S+) \|/g)].map(([, method, path]) => `${method} ${path}`),
    async close() {
      if (server.exitCode === null && server.signalCode === null) {
        server.kill();
        await once(server, "exit");
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function ready(endpoint: string, server: ChildProcess, log: () => string): Promise<void> {
  for (const end = Date.now() + 20_000; Date.now() < end; await sleep(25)) {
    if (server.exitCode !== null) {
      break;
    }
    const answered = await new Promise<boolean>((resolve) => {
      request(endpoint, (response) => resolve(response.resume().statusCode !== undefined))
        .on("error", () => resolve(false))
        .end();
    });
    if (answered) {
      return;
    }
  }
  server.kill();
  throw new Error(`versitygw did not start:\n${log()}`);
}
