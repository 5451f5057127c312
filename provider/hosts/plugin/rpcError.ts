import type { RawValues } from "../../definitions/values";
import { grpcStatus, RpcFailure } from "../../rpc/rpcServer";
import { asDocsPlatformError } from "../../support/errors";
import { printable } from "../../support/printable";
import { errorStatus, initFailure } from "./messages";

/**
 * Returns the error for a request about a resource or a function that this provider does not have. Nothing was done.
 */
export function badRequest(reason: string): RpcFailure {
  return new RpcFailure(printable(reason), grpcStatus.invalidArgument);
}

export function asRpcFailure(error: unknown): RpcFailure {
  return error instanceof RpcFailure ? error : new RpcFailure(asDocsPlatformError(error).message);
}

/**
 * Returns the error of a failed create or update. The engine saves the id and the state, and calls update in the next
 * run.
 */
export function initFailed(id: string, properties: RawValues, message: string): RpcFailure {
  const value = initFailure.encode({ id, properties, reasons: [message] });
  const details = [{ typeUrl: "type.googleapis.com/pulumirpc.ErrorResourceInitFailed", value }];
  return new RpcFailure(
    message,
    grpcStatus.unknown,
    errorStatus.encode({ code: grpcStatus.unknown, message, details }),
  );
}
