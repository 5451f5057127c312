import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { CheckResponse } from "@pulumi/pulumi/proto/provider_pb";
import type * as library from "google-protobuf/google/protobuf/struct_pb";

/*
 * What the SDK's messages are made with comes from them: it must be of the very copy of their library, wherever a package
 * manager has put that.
 */

/** Properties as a message holds them. */
export type Struct = library.Struct;

const inputs = CheckResponse.deserializeBinary(Uint8Array.of(10, 0)).getInputs();
export const Struct = inputs?.constructor as typeof library.Struct;

/** An answer that says nothing. */
export const empty = ResourceProviderService.cancel.responseDeserialize(Buffer.alloc(0));
