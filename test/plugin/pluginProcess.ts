import { once } from "node:events";
import { createRequire } from "node:module";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { onTestFinished } from "vitest";
import { spawnUntilInputEnds } from "../../tools/processes/serverProcess";
import { projectRoot } from "../../tools/projectRoot";

/** The libraries of the protocol, by the very copies that the SDK's messages are made with. */
const require = createRequire(__filename);
const { Empty, Struct, grpc } = require(join(projectRoot, "dist", "provider", "hosts", "plugin", "protocol.js"));
const { ResourceProviderClient } = require("@pulumi/pulumi/proto/provider_grpc_pb");
const messages: typeof import("@pulumi/pulumi/proto/provider_pb") = require("@pulumi/pulumi/proto/provider_pb");
const { PluginAttach }: typeof import("@pulumi/pulumi/proto/plugin_pb") = require("@pulumi/pulumi/proto/plugin_pb");

const stack = "urn:pulumi:test::project::";

/**
 * Starts the plugin's process; ended with the test.
 * @param startedBy the engine's address, or undefined for one that was started by hand, to be debugged.
 * @returns its port.
 */
export async function startPlugin(environment: NodeJS.ProcessEnv, startedBy: string | undefined): Promise<number> {
  const file = join(projectRoot, "plugin", "pulumi-resource-docs-platform");
  const env = { PATH: process.env.PATH, ...environment };
  const child = spawnUntilInputEnds(file, startedBy === undefined ? [] : [startedBy], "KILL", { env });
  onTestFinished(async () => {
    const ended = once(child, "close");
    child.stdin?.end();
    await ended;
  });
  for await (const line of createInterface({ input: child.stdout as Readable })) {
    return Number(line);
  }
  throw new Error("the plugin has told no port");
}

/** The address of something that listens: a plugin looks for no more, to know that its engine lives. */
export async function engineAddress(): Promise<string> {
  const server = createServer((socket) => socket.on("error", () => {})).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A client of a plugin on a connection of its own, as the engine has one for each provider; closed with the test. */
export class PluginClient {
  readonly #client;

  constructor(port: number) {
    // Else all clients of this process share one connection.
    const options = { "grpc.use_local_subchannel_pool": 1 };
    this.#client = new ResourceProviderClient(`127.0.0.1:${port}`, grpc.credentials.createInsecure(), options);
    onTestFinished(() => this.#client.close());
  }

  attach(engine: string): Promise<unknown> {
    return this.#ask("attach", new PluginAttach().setAddress(engine));
  }

  cancel(): Promise<unknown> {
    return this.#ask("cancel", new Empty());
  }

  /** @param name of the provider; by default the one that the engine makes for all resources without one. */
  configure(args: Record<string, string>, name = "default"): Promise<unknown> {
    const urn = `${stack}pulumi:providers:docs-platform::${name}`;
    return this.#ask("configure", new messages.ConfigureRequest().setUrn(urn).setArgs(Struct.fromJavaScript(args)));
  }

  /** Starts an export and waits for it; resolves with the job's id. */
  async createExport(domain: string): Promise<string> {
    const request = new messages.CreateRequest()
      .setUrn(`${stack}docs-platform:index:StaticExport::${domain}`)
      .setProperties(Struct.fromJavaScript({ domain }));
    return (await this.#ask<InstanceType<typeof messages.CreateResponse>>("create", request)).getId();
  }

  #ask<Answer>(method: string, request: unknown): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#client[method](request, (error: { details: string } | null, answer: Answer) =>
        error === null ? resolve(answer) : reject(new Error(error.details)),
      );
    });
  }
}
