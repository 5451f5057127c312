import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { Client, credentials } from "@grpc/grpc-js";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { CheckRequest } from "@pulumi/pulumi/proto/provider_pb";

/** Starts the plugin, and sends it a check of settings. For this check, it loads all code that a run needs. */
export async function startAndCheck(file: string, args: readonly string[]): Promise<void> {
  const child = spawn(file, args, { stdio: ["pipe", "pipe", "ignore"] });
  try {
    for await (const port of createInterface({ input: child.stdout })) {
      return await firstCheck(port);
    }
    throw new Error(`${file} has ended before it was ready`);
  } finally {
    const ended = once(child, "close");
    child.kill("SIGKILL");
    await ended;
  }
}

async function firstCheck(port: string): Promise<void> {
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
