import { once } from "node:events";
import { type ClientHttp2Session, connect } from "node:http2";
import { framed } from "./frame";

/** Calls methods of a gRPC server on this machine, and ignores the answers. */
export class RpcClient {
  #session: ClientHttp2Session | undefined;

  readonly #address: string;

  /** @param address the host and the port. The connection is not encrypted. */
  constructor(address: string) {
    this.#address = address;
  }

  /** Resolves when the call is over, also if the method failed. */
  async call(path: string, message: Uint8Array): Promise<void> {
    const stream = this.#connected().request({
      ...{ ":method": "POST", ":path": path },
      ...{ "content-type": "application/grpc", te: "trailers" },
    });
    const closed = once(stream, "close");
    stream.resume();
    stream.end(framed(message));
    // Rejects if the connection breaks.
    await closed;
  }

  #connected(): ClientHttp2Session {
    if (this.#session === undefined || this.#session.closed || this.#session.destroyed) {
      this.#session = connect(`http://${this.#address}`);
      this.#session.on("error", () => {});
      // The connection does not keep this process alive.
      this.#session.unref();
    }
    return this.#session;
  }
}
