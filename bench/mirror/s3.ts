import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { buildVersitygw } from "../../tools/versitygw/buildVersitygw";

/** A real S3 server with one bucket, which is a folder. */
export interface S3 {
  /** A BundleMirror's destination. */
  destination: string;
  /** Of a process that may write there. */
  environment: NodeJS.ProcessEnv;
  /** Removes what is in the bucket. */
  empty(): void;
  close(): Promise<void>;
}

const bucket = "bench";
const [accessKey, secretKey] = ["bench", "bench-secret-0123456789"];

export async function startS3(folder: string): Promise<S3> {
  const data = join(folder, "s3");
  const port = await unusedPort();
  const endpoint = `http://127.0.0.1:${port}`;
  mkdirSync(join(data, bucket), { recursive: true });
  const flags = ["--access", accessKey, "--secret", secretKey, "--port", `127.0.0.1:${port}`, "posix", data];
  const server = spawn(await buildVersitygw(), flags, { cwd: folder, stdio: "ignore" });
  await until(() => fetch(endpoint).then(() => true));
  return {
    destination: `s3://${bucket}/?endpoint=${encodeURIComponent(endpoint)}`,
    environment: {
      HOME: folder,
      AWS_ACCESS_KEY_ID: accessKey,
      AWS_SECRET_ACCESS_KEY: secretKey,
      AWS_REGION: "us-east-1",
      BENCH_ENDPOINT: endpoint,
      BENCH_BUCKET: bucket,
    },
    empty() {
      rmSync(join(data, bucket), { recursive: true });
      mkdirSync(join(data, bucket));
    },
    async close() {
      server.kill();
      await once(server, "exit");
    },
  };
}

async function until(answers: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    if (await answers().catch(() => false)) {
      return;
    }
    await sleep(25);
  }
  throw new Error("the S3 server did not start");
}

async function unusedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}
