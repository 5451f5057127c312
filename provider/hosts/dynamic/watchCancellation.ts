import type { Session } from "../../engine/session";

/**
 * Cancels the session when the engine cancels the run. The engine informs the provider process at once, but the SDK's
 * dynamic provider passes nothing on. The request carries an empty message. After this code is loaded, no other request
 * does: if the provider service reads an empty message, the run is cancelled. (The answers of the engine's log are
 * empty messages too, but another service reads them.) If a later SDK is built otherwise, nothing is noticed, and a
 * cancelled run waits until its job ends.
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
    // Then a cancelled run waits until its job ends. Nothing is lost.
  }
}
