import type { Applied } from "../../engine/operation";
import { grpcStatus, RpcFailure } from "../../rpc/rpcServer";
import { asDocsPlatformError } from "../../support/errors";
import { printable } from "../../support/printable";
import { errorStatus, initFailure } from "./messages";
import { writeProperties } from "./properties";

/** Returns the error for a request of something that this provider does not have. Nothing was done. */
export function badRequest(reason: string): RpcFailure {
  return new RpcFailure(printable(reason), grpcStatus.invalidArgument);
}

export function asRpcFailure(error: unknown): RpcFailure {
  return error instanceof RpcFailure ? error : new RpcFailure(asDocsPlatformError(error).message);
}

/**
 * Returns the error by which the engine saves the id and the state, and calls update in the next run.
 * @param secrets the names of the secret properties of the state.
 */
export function initFailed({ id, state }: Applied, message: string, secrets: ReadonlySet<string>): RpcFailure {
  const value = initFailure.encode({ id, properties: writeProperties(state, secrets), reasons: [message] });
  const details = [{ typeUrl: "type.googleapis.com/pulumirpc.ErrorResourceInitFailed", value }];
  return new RpcFailure(
    message,
    grpcStatus.unknown,
    errorStatus.encode({ code: grpcStatus.unknown, message, details }),
  );
}
