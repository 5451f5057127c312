import type { Session } from "../../engine/session";

/**
 * Cancels the session when the engine cancels the run. The SDK receives an empty message from the engine, and does not
 * pass it on. No other message to a provider is empty. So this function replaces the SDK's reader of empty messages.
 * With a different SDK, a cancelled run waits until its job ends.
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
    // With a different SDK, nothing is replaced.
  }
}
