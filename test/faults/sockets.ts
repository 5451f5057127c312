import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

const channels = { server: "net.server.socket", client: "net.client.socket" } as const;

/**
 * Counts this process's open connections at a server's port. `side` says if this process is the server or the client.
 * Neither the platform nor the HTTP library can count these connections.
 */
export class Sockets {
  readonly #open = new Set<Socket>();

  constructor(private readonly side: keyof typeof channels) {
    subscribe(channels[side], this.#note);
  }

  count(port: number): number {
    const portOf = (socket: Socket) => (this.side === "server" ? socket.localPort : socket.remotePort);
    return [...this.#open].filter((socket) => portOf(socket) === port).length;
  }

  /** Waits at most `limit` milliseconds until a port has no open connection. Returns the number that is still open. */
  async untilNone(port: number, limit: number): Promise<number> {
    const end = Date.now() + limit;
    while (this.count(port) > 0 && Date.now() < end) {
      await sleep(5);
    }
    return this.count(port);
  }

  stop(): void {
    unsubscribe(channels[this.side], this.#note);
  }

  #note = (message: unknown) => {
    const { socket } = message as { socket: Socket };
    this.#open.add(socket);
    socket.once("close", () => this.#open.delete(socket));
  };
}

/**
 * Waits until a proxy has closed its connections to a platform, so that no more request can arrive. A connection that
 * is still open after three seconds delivers no request: it is idle, or a toxic drops its bytes.
 */
export async function quiet(platforms: Sockets, port: number): Promise<void> {
  await platforms.untilNone(port, 3_000);
  await sleep(50);
}

export function openSockets(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === "TCPSocketWrap").length;
}

/**
 * Waits at most `limit` milliseconds until this process has at most `expected` TCP connections. Returns their number.
 */
export async function settledSockets(expected: number, limit: number): Promise<number> {
  const end = Date.now() + limit;
  while (openSockets() > expected && Date.now() < end) {
    await sleep(20);
  }
  return openSockets();
}
