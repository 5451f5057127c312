import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { ServerProcess, unusedPort } from "../processes/serverProcess";
import { getTool } from "../toolchain/getTool";

/** A real S3 server on loopback, whose buckets are folders. */
export interface Versitygw {
  executable: string;
  endpoint: string;
  /** The folder whose folders are the buckets. */
  data: string;
  /** The environment of a process with all rights there. */
  environment: Record<"HOME" | "AWS_ACCESS_KEY_ID" | "AWS_SECRET_ACCESS_KEY" | "AWS_REGION", string>;
  /** The server process, which logs a line for each request. */
  server: ServerProcess;
}

/** Starts a server that keeps its objects in a folder. */
export async function startVersitygw(folder: string): Promise<Versitygw> {
  const [data, users, versions] = ["data", "users", "versions"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const made of [data, users, versions]) {
    mkdirSync(made, { recursive: true });
  }
  const port = await unusedPort();
  const endpoint = `http://127.0.0.1:${port}`;
  const [access, secret] = ["owner-of-all", "owner-secret-0123456789"];
  const executable = await getTool("versitygw");
  const flags = ["--access", access, "--secret", secret, "--port", `127.0.0.1:${port}`, "--iam-dir", users];
  const ready = async () => (await fetch(endpoint)).status > 0;
  const server = await ServerProcess.start(executable, [...flags, "posix", "--versioning-dir", versions, data], ready);
  const environment = {
    HOME: folder,
    AWS_ACCESS_KEY_ID: access,
    AWS_SECRET_ACCESS_KEY: secret,
    AWS_REGION: "us-east-1",
    AWS_EC2_METADATA_DISABLED: "true",
  };
  return { executable, endpoint, data, environment, server };
}
