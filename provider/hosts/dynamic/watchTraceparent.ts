import type { Session } from "../../engine/session";

type ServerCall = new (path: string, call: unknown, metadata: Metadata, request: unknown) => object;

interface Metadata {
  get(name: string): (string | Buffer)[];
}

/**
 * Reads the engine's span from the metadata of each call, which the SDK's dynamic provider does not pass on: the gRPC library
 * makes an object for a call right before it runs the method. If a later library is built otherwise, the spans are below
 * the `TRACEPARENT` of the environment, or form a trace of their own.
 */
export function watchTraceparent({ trace }: Session): void {
  if (!trace.isWanted || !/dynamic-provider/.test(process.argv[1] ?? "")) {
    return;
  }
  try {
    const sdk = require.resolve("@pulumi/pulumi", { paths: [process.argv[1] ?? "", __dirname] });
    const library = require.resolve("@grpc/grpc-js/build/src/server-call.js", { paths: [sdk] });
    const calls: Record<string, ServerCall> = require(library);
    for (const [name, Call] of Object.entries(calls).filter(([exported]) => /^Server\w+Impl$/.test(exported))) {
      calls[name] = class extends Call {
        constructor(...call: ConstructorParameters<ServerCall>) {
          super(...call);
          const [parent] = call[2].get("traceparent");
          trace.enter(parent?.toString());
        }
      };
    }
  } catch {
    // Then the spans have another parent. Nothing is lost.
  }
}
