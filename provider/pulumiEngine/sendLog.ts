import { booleanField, message, text, wholeNumber } from "../rpc/protobuf";
import { callRpc } from "../rpc/rpcClient";

/** The message `LogRequest`, with the field numbers in `engine.proto` of Pulumi's source. */
const logRequest = message({ severity: wholeNumber(1), message: text(2), urn: text(3), ephemeral: booleanField(5) });

export function sendLog(engine: string, line: Parameters<typeof logRequest.encode>[0]): Promise<void> {
  return callRpc(engine, "/pulumirpc.Engine/Log", logRequest.encode(line));
}
