import type { Applied } from "../../engine/operation";
import { RpcFailure, status } from "../../rpc/rpcServer";
import { asDocsPlatformError } from "../../support/errors";
import { printable } from "../../support/printable";
import { errorStatus, initFailure } from "./messages";
import { writeProperties } from "./properties";

/** The engine, or the program, asked for what this provider does not have; nothing was done. */
export function badRequest(reason: string): RpcFailure {
  return new RpcFailure(printable(reason), status.invalidArgument);
}

export function asRpcFailure(error: unknown): RpcFailure {
  return error instanceof RpcFailure ? error : new RpcFailure(asDocsPlatformError(error).message);
}

/**
 * The engine saves the id and the state, and calls update in the next run.
 * @param secrets names what is secret in the state.
 */
export function initFailed({ id, state }: Applied, message: string, secrets: ReadonlySet<string>): RpcFailure {
  const value = initFailure.encode({ id, properties: writeProperties(state, secrets), reasons: [message] });
  const details = [{ typeUrl: "type.googleapis.com/pulumirpc.ErrorResourceInitFailed", value }];
  return new RpcFailure(message, status.unknown, errorStatus.encode({ code: status.unknown, message, details }));
}
