import { createRequire } from "node:module";
import type * as library from "google-protobuf/google/protobuf/struct_pb";

/** The SDK's message classes must all come from one copy of the library, so `require` loads them. */
const require = createRequire(__filename);
export const { ResourceProviderClient } = require("@pulumi/pulumi/proto/provider_grpc_pb");
export const { EngineService } = require("@pulumi/pulumi/proto/engine_grpc_pb");
export const messages: typeof import("@pulumi/pulumi/proto/provider_pb") = require("@pulumi/pulumi/proto/provider_pb");
export const { Status }: typeof import("@pulumi/pulumi/proto/status_pb") = require("@pulumi/pulumi/proto/status_pb");

const aStruct = messages.CheckResponse.deserializeBinary(Uint8Array.of(10, 0)).getInputs();
export const Struct = aStruct?.constructor as unknown as { fromJavaScript(values: Values): library.Struct };

export const emptyAnswer =
  require("@pulumi/pulumi/proto/provider_grpc_pb").ResourceProviderService.cancel.responseDeserialize(Buffer.alloc(0));

export type Values = Record<string, unknown>;

const signature = "4dabf18193072939515e22adb298388d";
const secretSignature = "1b47061264138c4ac30d75fd1eb44270";

/** Makes an output value in the engine's encoding. Without `value`, the output is unknown. */
export function output(content: { value?: unknown; secret?: boolean; dependencies?: string[] }): unknown {
  return { [signature]: "d0e6a833031e9bbcd3f4e8bde6ca49a4", ...content };
}

/** The engine's encoding of an unknown value. */
export const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

export function secret(value: unknown): unknown {
  return { [signature]: secretSignature, value };
}

export function secretNames(values: Values): string[] {
  return Object.keys(values).filter((name) => isSecret(values[name]));
}

/** Removes the secret marks from values, for a provider that does not accept secrets. */
export function inClear(values: Values): Values {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, isSecret(value) ? value.value : value]),
  );
}

function isSecret(value: unknown): value is { value: unknown } {
  return typeof value === "object" && value !== null && signature in value;
}
