import type { Session } from "../../engine/session";

/**
 * The engine tells a cancelled run to the provider process at once, but the SDK's dynamic provider passes nothing on.
 * The request carries an empty message, and no other request that comes after our code was loaded does: the provider
 * service reading one is the sign. (The answers of the engine's log are empty messages too, read by another service.)
 * Where a later SDK is built otherwise, nothing is noticed, and a cancelled run waits until its job ends.
 */
export function watchCancellation(session: Session): void {
  if (!/dynamic-provider/.test(process.argv[1] ?? "") || !session.once("watch the cancellation")) {
    return;
  }
  try {
    const sdk = require.resolve("@pulumi/pulumi", { paths: [process.argv[1] ?? "", __dirname] });
    const message = require(require.resolve("google-protobuf/google/protobuf/empty_pb.js", { paths: [sdk] }));
    const read = message.Empty.deserializeBinary;
    if (typeof read !== "function") {
      return;
    }
    message.Empty.deserializeBinary = function (this: unknown, ...bytes: unknown[]) {
      if (/provider_grpc_pb/.test(new Error().stack ?? "")) {
        session.cancel();
      }
      return read.apply(this, bytes);
    };
  } catch {
    // Then a cancelled run waits; nothing is lost.
  }
}
