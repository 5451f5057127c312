import net from "node:net";
import { listen } from "../loopback";

/** A frozen proxy passes no bytes and keeps all connections open. */
export interface FreezingProxy {
  url: string;
  freeze(): void;
  thaw(): void;
  bytes: number;
}

export async function freezingProxy(target: string): Promise<FreezingProxy> {
  const sockets = new Set<net.Socket>();
  let frozen = false;
  const server = net.createServer((client) => {
    const upstream = net.connect(Number(new URL(target).port), "127.0.0.1");
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on("data", (chunk: Buffer) => {
        proxy.bytes += socket === client ? chunk.length : 0;
        other.write(chunk);
      });
      socket
        .on("error", () => {})
        .on("close", () => {
          sockets.delete(socket);
          other.destroy();
        });
      if (frozen) {
        socket.pause();
      }
    }
  });
  const { url } = await listen(server);
  const proxy: FreezingProxy = {
    url,
    bytes: 0,
    freeze() {
      frozen = true;
      for (const socket of sockets) {
        socket.pause();
      }
    },
    thaw() {
      frozen = false;
      for (const socket of sockets) {
        socket.resume();
      }
    },
  };
  return proxy;
}
