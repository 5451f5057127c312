import { Metadata, status as statusCodes } from "@grpc/grpc-js";
import { ErrorResourceInitFailed } from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import type { Applied } from "../../engine/operation";
import { asDocsPlatformError } from "../../support/errors";
import { printable } from "../../support/printable";
import { writeProperties } from "./properties";

/** An error as the protocol carries it. The engine prints `details`, and reads what else there is from the metadata. */
export class RpcError extends Error {
  constructor(
    readonly details: string,
    readonly code: number = statusCodes.UNKNOWN,
    readonly metadata = new Metadata(),
  ) {
    super(details);
  }
}

/** The engine, or the program, asked for what this provider does not have; nothing was done. */
export function badRequest(reason: string): RpcError {
  return new RpcError(printable(reason), statusCodes.INVALID_ARGUMENT);
}

export function asRpcError(error: unknown): RpcError {
  return error instanceof RpcError ? error : new RpcError(asDocsPlatformError(error).message);
}

/**
 * The engine saves the id and the state, and calls update in the next run.
 * @param secrets names what is secret in the state.
 */
export function initFailed({ id, state }: Applied, message: string, secrets: ReadonlySet<string>): RpcError {
  const detail = new ErrorResourceInitFailed();
  detail.setId(id);
  detail.setProperties(writeProperties(state, secrets));
  detail.setReasonsList([message]);
  const status = new Status();
  status.setCode(statusCodes.UNKNOWN);
  status.setMessage(message);
  status.addDetails().pack(detail.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
  const metadata = new Metadata();
  metadata.add("grpc-status-details-bin", Buffer.from(status.serializeBinary()));
  return new RpcError(message, statusCodes.UNKNOWN, metadata);
}
