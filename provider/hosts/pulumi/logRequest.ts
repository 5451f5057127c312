import { flag, message, text, whole } from "../rpc/protobuf";

/** A line for the engine's display: field numbers of `LogRequest` in `engine.proto` of Pulumi's source. */
export const logRequest = message({ severity: whole(1), message: text(2), urn: text(3), ephemeral: flag(5) });
