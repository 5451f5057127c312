import { booleanField, message, textField, varintField } from "../rpc/protobuf";
import { callRpc } from "../rpc/rpcClient";

/** The message `LogRequest`, with the field numbers in `engine.proto` of Pulumi's source. */
const logRequest = message({
  severity: varintField(1),
  message: textField(2),
  urn: textField(3),
  ephemeral: booleanField(5),
});

export function sendLog(engine: string, line: Parameters<typeof logRequest.encode>[0]): Promise<void> {
  return callRpc(engine, "/pulumirpc.Engine/Log", logRequest.encode(line));
}
