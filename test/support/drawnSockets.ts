import { connect, type Socket } from "node:net";
import fc from "fast-check";

const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/** A client's possible actions after it has connected. Failure messages contain the actions' names. */
const deeds: Record<string, (socket: Socket) => unknown> = {
  "resets it": (socket) => socket.resetAndDestroy(),
  "closes it": (socket) => socket.destroy(),
  "closes its half": (socket) => socket.end(),
  "sends nothing": () => {},
  "begins HTTP/2 and resets it": (socket) => socket.write(preface, () => socket.resetAndDestroy()),
  "begins HTTP/2 and closes its half": (socket) => socket.end(preface),
  "sends no HTTP/2": (socket) => socket.write("GET / HTTP/1.1\r\n\r\n"),
  "begins TLS": (socket) => socket.write(Buffer.of(22, 3, 1, 0, 5, 1, 0, 0, 1, 0)),
};

export interface DrawnSocket {
  host: string;
  deed: string;
}

/** Generates the host and the action of each client of a port on this machine. */
export const arbitrarySockets: fc.Arbitrary<DrawnSocket[]> = fc.array(
  fc.record({
    host: fc.constantFrom("127.0.0.1", "::ffff:127.0.0.1"),
    deed: fc.constantFrom(...Object.keys(deeds)),
  }),
  { minLength: 1, maxLength: 60, size: "max" },
);

/** Opens all connections together. When each client has acted, resolves with a function that closes the connections. */
export async function openArbitrarySockets(port: number, drawn: readonly DrawnSocket[]): Promise<() => void> {
  const sockets = await Promise.all(
    drawn.map(
      ({ host, deed }) =>
        new Promise<Socket>((resolve) => {
          const socket = connect({ host, port, allowHalfOpen: true }, () => {
            deeds[deed]?.(socket);
            resolve(socket);
          });
          socket.on("error", () => resolve(socket)).resume();
        }),
    ),
  );
  return () => {
    for (const socket of sockets) {
      socket.destroy();
    }
  };
}
