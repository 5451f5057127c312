import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { expect, onTestFinished } from "vitest";
import type { Platform } from "../../simulator/index";
import { collectOutput } from "../../tools/processes/collectOutput";
import { spawnUntilInputEnds } from "../../tools/processes/serverProcess";
import { signatureMark } from "./leaks";
import { linkPackages, processEnvironment } from "./programFolder";

const require = createRequire(__filename);
/** The libraries of the protocol, by the very copies that the SDK's messages are made with. */
const { Struct, grpc } = require("../../dist/provider/hosts/plugin/protocol.js");
const { EngineService } = require("@pulumi/pulumi/proto/engine_grpc_pb");
const { ResourceProviderClient } = require("@pulumi/pulumi/proto/provider_grpc_pb");
const { Status }: typeof import("@pulumi/pulumi/proto/status_pb") = require("@pulumi/pulumi/proto/status_pb");
const messages: typeof import("@pulumi/pulumi/proto/provider_pb") = require("@pulumi/pulumi/proto/provider_pb");
const { Empty } = createRequire(require.resolve("@pulumi/pulumi"))("google-protobuf/google/protobuf/empty_pb.js");

export type Properties = Record<string, unknown>;
type Kind = "StaticExport" | "ExportBundle" | "BundleMirror" | "AgentMessage";

/** What create and read give, and what the engine then holds of a resource. */
export interface Saved {
  id: string;
  properties: Properties;
}

/** How a create or an update failed. */
export class RefusedCall extends Error {
  constructor(
    message: string,
    /** What the engine saves all the same; undefined where it saves nothing. */
    readonly saved: Saved | undefined,
  ) {
    super(message);
  }
}

/**
 * The SDK's dynamic provider in a process of its own, started and spoken to as the engine does: for what is a rule of our
 * code at the engine's protocol, and needs no engine. Ended with the test; nothing that it has told may hold a secret.
 */
export class ProviderProcess {
  /** What it has logged for the user, without what is only shown while a resource is at work. */
  readonly warnings: string[] = [];
  readonly #told: string[] = [];

  private constructor(private readonly client: Record<string, Call>) {}

  /** @param environment added to that of a stack of this platform; `undefined` takes a variable away. */
  static async start(
    platform: Platform,
    { environment = {}, config = {} }: { environment?: NodeJS.ProcessEnv; config?: Record<string, string> } = {},
  ): Promise<ProviderProcess> {
    const folder = mkdtempSync(join(tmpdir(), "provider-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    linkPackages(folder);
    const client: Record<string, Call> = {};
    const provider = new ProviderProcess(client);
    const engine = await serveLog((line) => provider.warnings.push(line));
    const script = require.resolve("@pulumi/pulumi/cmd/dynamic-provider");
    const ofStack = { PULUMI_HOME: join(folder, "home"), PULUMI_NODEJS_PROJECT: "lifecycle" };
    const env = { ...process.env, ...ofStack, ...processEnvironment(platform), ...environment };
    const child = spawnUntilInputEnds(process.execPath, [script, engine], "KILL", { cwd: folder, env });
    const written = collectOutput(child);
    onTestFinished(async () => {
      const ended = once(child, "close");
      child.stdin?.end();
      await ended;
      const told = [written.output, ...provider.#told, ...provider.warnings].join("\n");
      expect([signatureMark, platform.apiKey].filter((secret) => told.includes(secret))).toEqual([]);
    });
    const port = await firstLine(child.stdout as Readable);
    const connection = new ResourceProviderClient(`127.0.0.1:${port}`, grpc.credentials.createInsecure());
    onTestFinished(() => connection.close());
    for (const name of ["configure", "check", "diff", "create", "read", "update", "delete"]) {
      client[name] = (request) => provider.#ask(connection, name, request);
    }
    await provider.#call("configure", new messages.ConfigureRequest().setArgs(Struct.fromJavaScript(config)));
    return provider;
  }

  /** One resource of a program, as the engine calls for it. */
  resource(kind: Kind, name = "site") {
    const __urn = `urn:pulumi:test::lifecycle::pulumi-nodejs:dynamic/docs-platform:${kind}::${name}`;
    const __provider = `exports.handler = () => require("pulumi-docs-platform/provider").${kind};`;
    const encode = (properties: Properties) => Struct.fromJavaScript({ __provider, __urn, ...properties });
    return {
      check: async (news: Properties, olds: Properties = {}) => {
        const request = new messages.CheckRequest().setUrn(__urn).setOlds(encode(olds)).setNews(encode(news));
        const answer: InstanceType<typeof messages.CheckResponse> = await this.#call("check", request);
        const failures = answer
          .getFailuresList()
          .map((one) => ({ property: one.getProperty(), reason: one.getReason() }));
        return { inputs: answer.getInputs()?.toJavaScript() as Properties, failures };
      },
      diff: async ({ id, properties }: Saved, news: Properties) => {
        const request = new messages.DiffRequest().setId(id).setOlds(encode(properties)).setNews(encode(news));
        const answer: InstanceType<typeof messages.DiffResponse> = await this.#call("diff", request);
        return { changes: answer.getChanges() === 2, replaces: answer.getReplacesList() };
      },
      create: async (inputs: Properties): Promise<Saved> => {
        const request = new messages.CreateRequest().setUrn(__urn).setProperties(encode(inputs));
        const answer: InstanceType<typeof messages.CreateResponse> = await this.#call("create", request);
        return { id: answer.getId(), properties: answer.getProperties()?.toJavaScript() as Properties };
      },
      /** Resolves with nothing where the engine would drop the resource. */
      read: async ({ id, properties }: Saved): Promise<Saved | undefined> => {
        const request = new messages.ReadRequest().setId(id).setUrn(__urn).setProperties(encode(properties));
        const answer: InstanceType<typeof messages.ReadResponse> = await this.#call("read", request);
        const found = answer.getId();
        return found === ""
          ? undefined
          : { id: found, properties: answer.getProperties()?.toJavaScript() as Properties };
      },
      update: async ({ id, properties }: Saved, news: Properties): Promise<Saved> => {
        const request = new messages.UpdateRequest().setId(id).setUrn(__urn);
        request.setOlds(encode(properties)).setNews(encode(news));
        const answer: InstanceType<typeof messages.UpdateResponse> = await this.#call("update", request);
        return { id, properties: answer.getProperties()?.toJavaScript() as Properties };
      },
      delete: async ({ id, properties }: Saved): Promise<void> => {
        await this.#call(
          "delete",
          new messages.DeleteRequest().setId(id).setUrn(__urn).setProperties(encode(properties)),
        );
      },
    };
  }

  #call<Answer>(name: string, request: unknown): Promise<Answer> {
    return (this.client[name] as Call)(request) as Promise<Answer>;
  }

  #ask(connection: Connection, name: string, request: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      connection[name]?.(request, (error, answer) => {
        if (error === null) return resolve(answer);
        this.#told.push(error.details);
        reject(new RefusedCall(error.details, savedIn(error)));
      });
    });
  }
}

type Call = (request: unknown) => Promise<unknown>;
type Connection = Record<string, (request: unknown, done: (error: CallError | null, answer: unknown) => void) => void>;

interface CallError {
  details: string;
  metadata: { get(name: string): (string | Buffer)[] };
}

/** What a failure carries for the engine to save. */
function savedIn({ metadata }: CallError): Saved | undefined {
  const [status] = metadata.get("grpc-status-details-bin");
  if (!(status instanceof Buffer)) return undefined;
  const [detail] = Status.deserializeBinary(status).getDetailsList();
  const failed = messages.ErrorResourceInitFailed.deserializeBinary(detail?.getValue_asU8() ?? new Uint8Array());
  return { id: failed.getId(), properties: failed.getProperties()?.toJavaScript() as Properties };
}

/** As much of an engine as a provider speaks to: it takes what is to be shown. */
async function serveLog(show: (line: string) => void): Promise<string> {
  const server = new grpc.Server();
  server.addService(EngineService, {
    log: (
      call: { request: import("@pulumi/pulumi/proto/engine_pb").LogRequest },
      done: (_: null, answer: unknown) => void,
    ) => {
      if (!call.request.getEphemeral()) show(call.request.getMessage());
      done(null, new Empty());
    },
  });
  onTestFinished(() => server.forceShutdown());
  return new Promise((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error: Error | null, port: number) =>
      error === null ? resolve(`127.0.0.1:${port}`) : reject(error),
    );
  });
}

async function firstLine(stream: Readable): Promise<string> {
  for await (const line of createInterface({ input: stream })) {
    return line;
  }
  throw new Error("the provider has told no port");
}
