import type { RawValues } from "../../definitions/values";
import { grpcStatus, RpcFailure } from "../../rpc/rpcServer";
import { asDocsPlatformError } from "../../support/errors";
import { ownPropertyOf } from "../../support/ownPropertyOf";
import { printable } from "../../support/printable";
import { resourceInitFailedMessage, rpcStatusMessage } from "./messages";

/** Returns the error for a request that this provider does not serve. Nothing was done. */
export function invalidRequestFailure(reason: string): RpcFailure {
  return new RpcFailure(printable(reason), grpcStatus.invalidArgument);
}

/** @throws RpcFailure if this provider has no resource or function of that name. */
export function requireKnown<T>(kind: string, known: Readonly<Record<string, T>>, token: string): T {
  const found = ownPropertyOf(known, token.replace(/^docs-platform:index:/, ""));
  if (found === undefined) {
    throw invalidRequestFailure(`there is no ${kind} ${token}; the ${kind}s are ${Object.keys(known).join(", ")}`);
  }
  return found;
}

export function asRpcFailure(error: unknown): RpcFailure {
  return error instanceof RpcFailure ? error : new RpcFailure(asDocsPlatformError(error).message);
}

/** After this error, the engine saves the id and the state, and calls update in the next run. */
export function initFailedError(id: string, properties: RawValues, message: string): RpcFailure {
  const value = resourceInitFailedMessage.encode({ id, properties, reasons: [message] });
  const details = [{ typeUrl: "type.googleapis.com/pulumirpc.ErrorResourceInitFailed", value }];
  return new RpcFailure(
    message,
    grpcStatus.unknown,
    rpcStatusMessage.encode({ code: grpcStatus.unknown, message, details }),
  );
}
