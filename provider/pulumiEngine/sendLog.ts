import { flag, message, text, whole } from "../rpc/protobuf";
import { RpcClient } from "../rpc/rpcClient";

/** Field numbers of `LogRequest` in `engine.proto` of Pulumi's source. */
const logRequest = message({ severity: whole(1), message: text(2), urn: text(3), ephemeral: flag(5) });

const clients = new Map<string, RpcClient>();

/** Sends one line to the display of an engine. */
export async function sendLog(engine: string, line: Parameters<typeof logRequest.encode>[0]): Promise<void> {
  const client = clients.get(engine) ?? new RpcClient(engine);
  clients.set(engine, client);
  await client.call("/pulumirpc.Engine/Log", logRequest.encode(line));
}
