import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { Client, credentials } from "@grpc/grpc-js";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { CheckRequest } from "@pulumi/pulumi/proto/provider_pb";

/** The resources that a process uses until it has answered, in milliseconds. */
export interface StartCost {
  time: number;
  /** The CPU time on all processors; undefined if the system does not show it. */
  processor: number | undefined;
}

/** A command that writes one line when it is ready. */
export interface StartedCommand {
  file: string;
  args: readonly string[];
  environment?: NodeJS.ProcessEnv;
}

/** Starts a command, and waits until it is ready and has answered. */
export async function measureStart(
  { file, args, environment }: StartedCommand,
  answer: (line: string) => Promise<unknown> = async () => {},
): Promise<StartCost> {
  const begin = performance.now();
  // Some versions of Node.js read these variables at each start, others at the first use of TLS. With them, the ratios
  // could not be compared.
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: undefined, ...environment };
  const child = spawn(file, args, { stdio: ["pipe", "pipe", "ignore"], env });
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      await answer(line);
      return { time: performance.now() - begin, processor: processorTime(child.pid ?? 0) };
    }
    throw new Error(`${file} has ended before it was ready`);
  } finally {
    const ended = once(child, "close");
    child.kill("SIGKILL");
    await ended;
  }
}

/** A `node -e 0` that stays alive while it is measured. */
export const bareNode = ["-e", 'const fs = require("fs"); fs.writeSync(1, "0\\n"); fs.readSync(0, Buffer.alloc(1))'];

/** The start cost of any gRPC server. */
export const bareServer = [
  "-e",
  'require("http2").createServer().listen(0, "127.0.0.1", () => require("fs").writeSync(1, "0\\n"))',
];

/** Asks a plugin on this port to check its settings, which loads everything that a run needs. */
export async function firstCheck(port: string): Promise<void> {
  const { path, requestSerialize, responseDeserialize } = ResourceProviderService.checkConfig;
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), { "grpc.enable_http_proxy": 0 });
  const request = new CheckRequest().setUrn("urn:pulumi:bench::bench::pulumi:providers:docs-platform::default");
  await new Promise<void>((resolve, reject) => {
    client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, (error) =>
      error === null ? resolve() : reject(error),
    );
  });
  client.close();
}

function processorTime(pid: number): number | undefined {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const times = threads.map((thread) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8"));
    return times.reduce((sum, text) => sum + Number(text.split(" ")[0]) / 1e6, 0);
  } catch {
    return undefined;
  }
}
