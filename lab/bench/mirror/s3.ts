import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { startVersitygw } from "../../../tools/servers/startVersitygw";

/** A real S3 server with one bucket. */
export interface S3 {
  /** The destination of a BundleMirror. */
  destination: string;
  /** The environment of a process that may write there. */
  environment: NodeJS.ProcessEnv;
  /** Removes all objects of the bucket. */
  empty(): void;
  close(): Promise<void>;
}

const bucket = "bench";

/** Starts a server that keeps its objects in a folder. */
export async function startS3(folder: string): Promise<S3> {
  const { endpoint, data, environment, server } = await startVersitygw(join(folder, "s3"));
  mkdirSync(join(data, bucket));
  return {
    destination: `s3://${bucket}/?endpoint=${encodeURIComponent(endpoint)}`,
    environment: { ...environment, BENCH_ENDPOINT: endpoint, BENCH_BUCKET: bucket },
    empty() {
      rmSync(join(data, bucket), { recursive: true });
      mkdirSync(join(data, bucket));
    },
    close: () => server.close(),
  };
}
