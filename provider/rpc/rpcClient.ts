import { once } from "node:events";
import { type ClientHttp2Session, connect } from "node:http2";
import { framed } from "./frame";

/** Calls methods of a server of gRPC on this machine, whose answers tell nothing. */
export class RpcClient {
  #session: ClientHttp2Session | undefined;

  readonly #address: string;

  /** @param address host and port, in plain text. */
  constructor(address: string) {
    this.#address = address;
  }

  /** Resolves when the call is over, whatever became of it. */
  async call(path: string, message: Uint8Array): Promise<void> {
    const stream = this.#connected().request({
      ...{ ":method": "POST", ":path": path },
      ...{ "content-type": "application/grpc", te: "trailers" },
    });
    const closed = once(stream, "close");
    stream.resume();
    stream.end(framed(message));
    // Where the connection breaks, this rejects.
    await closed;
  }

  #connected(): ClientHttp2Session {
    if (this.#session === undefined || this.#session.closed || this.#session.destroyed) {
      this.#session = connect(`http://${this.#address}`);
      this.#session.on("error", () => {});
      // It keeps no process alive.
      this.#session.unref();
    }
    return this.#session;
  }
}
