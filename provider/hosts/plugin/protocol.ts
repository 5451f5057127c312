import type { IResourceProviderServer } from "@pulumi/pulumi/proto/provider_grpc_pb";

/*
 * The libraries of the protocol come with the SDK: ours must be the very copies that its messages are made with, wherever
 * a package manager has put them.
 */
const sdk = require.resolve("@pulumi/pulumi");

function ofTheSdk(name: string) {
  return require(require.resolve(name, { paths: [sdk] }));
}

export const { Struct }: typeof import("google-protobuf/google/protobuf/struct_pb") = ofTheSdk(
  "google-protobuf/google/protobuf/struct_pb.js",
);
export const { Any }: typeof import("google-protobuf/google/protobuf/any_pb") = ofTheSdk(
  "google-protobuf/google/protobuf/any_pb.js",
);
export const { Empty }: typeof import("google-protobuf/google/protobuf/empty_pb") = ofTheSdk(
  "google-protobuf/google/protobuf/empty_pb.js",
);

/** Properties as a message holds them. */
export type Struct = InstanceType<typeof Struct>;

/** What an answer may carry beside its message. */
export type Metadata = NonNullable<Parameters<Parameters<IResourceProviderServer["check"]>[1]>[2]>;

/** What we use of the gRPC library. */
export interface Grpc {
  Server: new (
    options: Record<string, number>,
  ) => {
    addService(service: object, implementation: Partial<IResourceProviderServer>): void;
    bindAsync(address: string, credentials: unknown, done: (error: Error | null, port: number) => void): void;
  };
  ServerCredentials: { createInsecure(): unknown };
  Metadata: new () => Metadata;
  status: { INVALID_ARGUMENT: number; UNKNOWN: number };
}

export const grpc: Grpc = ofTheSdk("@grpc/grpc-js");
