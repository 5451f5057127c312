import { once } from "node:events";
import { type ClientHttp2Session, connect } from "node:http2";
import net from "node:net";
import { isPortOfAnotherUser } from "../support/socketUsers";
import { frameMessage } from "./grpcFrame";

const sessions = new Map<string, ClientHttp2Session>();

/**
 * Calls a method of a gRPC server on this machine, and ignores the answer, even a failure. Rejects if the connection
 * breaks, or if a process of another user listens at the port.
 * @param address the host and the port. The connection is not encrypted.
 */
export async function callRpc(address: string, path: string, message: Uint8Array): Promise<void> {
  const stream = (await sessionWith(address)).request({
    ...{ ":method": "POST", ":path": path },
    ...{ "content-type": "application/grpc", te: "trailers" },
  });
  const closed = once(stream, "close");
  stream.resume();
  stream.end(frameMessage(message));
  await closed;
}

async function sessionWith(address: string): Promise<ClientHttp2Session> {
  const known = sessions.get(address);
  if (known !== undefined && !known.closed && !known.destroyed) {
    return known;
  }
  const { hostname, port } = new URL(`http://${address}`);
  const socket = net.connect(Number(port), hostname.replace(/[[\]]/g, "")).unref();
  await once(socket, "connect");
  // An earlier check would prove nothing: another process could open the port after the check.
  if (await isPortOfAnotherUser(Number(port))) {
    socket.destroy();
    throw new Error(`another user of this machine listens at ${address}`);
  }
  const session = connect(`http://${address}`, { createConnection: () => socket }).on("error", () => {});
  // The open connection must not prevent the end of this process.
  session.unref();
  sessions.set(address, session);
  return session;
}
