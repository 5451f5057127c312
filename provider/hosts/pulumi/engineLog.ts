import type { Client } from "@grpc/grpc-js";

/** A "status" is shown as long as the resource is at work; it is ephemeral in the engine's words. */
type Kind = "debug" | "info" | "warn" | "status";

const clients = new Map<string, Client>();
let lastShown: Promise<unknown> = Promise.resolve();

/**
 * Writes to the engine's display, on the row of one resource, in the order of the calls. An "info" or a "warn" is also listed
 * below the rows, in the end. A "debug" is shown with `--debug` only, which the engine tells nobody. In a run without a display
 * each is a line of its own. Where a later SDK has another protocol, there is no progress, and nothing else is lost.
 * @param engine its address; without one, nothing is shown.
 */
export function show(kind: Kind, engine: string | undefined, urn: string | undefined, text: string): void {
  if (engine !== undefined) {
    // Progress is never worth a failure.
    lastShown = lastShown.then(() => send(kind, engine, urn, text)).catch(() => {});
  }
}

async function send(kind: Kind, engine: string, urn: string | undefined, text: string): Promise<void> {
  // Loaded here, since most runs show nothing.
  const { EngineService }: typeof import("@pulumi/pulumi/proto/engine_grpc_pb") =
    require("@pulumi/pulumi/proto/engine_grpc_pb");
  const { LogRequest, LogSeverity }: typeof import("@pulumi/pulumi/proto/engine_pb") =
    require("@pulumi/pulumi/proto/engine_pb");
  const { DEBUG, INFO, WARNING } = LogSeverity;
  const request = new LogRequest()
    .setMessage(text)
    .setUrn(urn ?? "")
    .setEphemeral(kind === "status");
  request.setSeverity({ debug: DEBUG, info: INFO, status: INFO, warn: WARNING }[kind]);
  const { path, requestSerialize, responseDeserialize } = EngineService.log;
  await new Promise<void>((resolve) => {
    clientOf(engine).makeUnaryRequest(path, requestSerialize, responseDeserialize, request, () => resolve());
  });
}

/** Not the SDK's own client of an engine: that one takes credentials of its own copy of the library only. */
function clientOf(engine: string): Client {
  const { Client, credentials }: typeof import("@grpc/grpc-js") = require("@grpc/grpc-js");
  // The engine is on this machine.
  const client =
    clients.get(engine) ?? new Client(engine, credentials.createInsecure(), { "grpc.enable_http_proxy": 0 });
  clients.set(engine, client);
  return client;
}
