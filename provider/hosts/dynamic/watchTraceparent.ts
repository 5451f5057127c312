import type { Session } from "../../engine/session";

/** The class of the object that the gRPC library makes for a call, right before it runs the method. */
type ServerCall = new (path: string, call: unknown, metadata: Metadata, request: unknown) => object;

interface Metadata {
  get(name: string): (string | Buffer)[];
}

/**
 * Reads the engine's span from each call. A traced engine names its span in the metadata of each call, but the SDK's
 * dynamic provider passes no metadata on. The gRPC library makes an object for a call right before it runs the method:
 * from then on, new spans are below the engine's span. If a later library is built otherwise, they are below the
 * `TRACEPARENT` of the environment, or form a trace of their own.
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
