import { once } from "node:events";
import { type ClientHttp2Session, connect } from "node:http2";
import { framed } from "./frame";

const sessions = new Map<string, ClientHttp2Session>();

/**
 * Calls a method of a gRPC server on this machine, and ignores the answer. Resolves when the call is over, also if the
 * method failed; rejects if the connection breaks.
 * @param address the host and the port. The connection is not encrypted.
 */
export async function callRpc(address: string, path: string, message: Uint8Array): Promise<void> {
  const stream = sessionWith(address).request({
    ...{ ":method": "POST", ":path": path },
    ...{ "content-type": "application/grpc", te: "trailers" },
  });
  const closed = once(stream, "close");
  stream.resume();
  stream.end(framed(message));
  await closed;
}

function sessionWith(address: string): ClientHttp2Session {
  const known = sessions.get(address);
  if (known !== undefined && !known.closed && !known.destroyed) {
    return known;
  }
  const session = connect(`http://${address}`).on("error", () => {});
  // The connection does not keep this process alive.
  session.unref();
  sessions.set(address, session);
  return session;
}
