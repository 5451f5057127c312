import http from "node:http";
import https from "node:https";
import net, { type AddressInfo } from "node:net";
import { pipeline } from "node:stream";
import tls from "node:tls";
import { onTestFinished } from "vitest";
import { trustedServer } from "./certificate";

export interface SeenRequest {
  method: string;
  url: string;
  headers: http.IncomingHttpHeaders;
  body: string;
}

export interface Loopback {
  url: string;
  port: number;
  /** The requests that the server has read completely, in order. */
  requests: SeenRequest[];
  connections: number;
}

export type Reply = (
  response: http.ServerResponse,
  seen: { request: SeenRequest; number: number; socket: net.Socket },
) => void;

export const closedPort = 1;

export async function openPort(server: net.Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

/** Makes a server listen on a free port until the test ends. */
export async function listen(server: net.Server, scheme = "http"): Promise<Loopback> {
  const loopback: Loopback = { url: "", port: 0, requests: [], connections: 0 };
  const open = new Set<net.Socket>();
  server.on("connection", (socket: net.Socket) => {
    loopback.connections++;
    open.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => open.delete(socket));
  });
  loopback.port = await openPort(server);
  loopback.url = `${scheme}://127.0.0.1:${loopback.port}`;
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of open) {
          socket.destroy();
        }
      }),
  );
  return loopback;
}

/**
 * Starts an HTTP server that reads each request completely and answers with the replies in order. The last reply
 * repeats.
 */
export async function serve(...replies: [Reply, ...Reply[]]): Promise<Loopback> {
  return serveBy((listener) => http.createServer(listener), "http", replies);
}

/** Starts an HTTPS server with a certificate of the tests' own authority. */
export async function serveTls(options: https.ServerOptions, ...replies: [Reply, ...Reply[]]): Promise<Loopback> {
  return serveBy((listener) => https.createServer({ ...trustedServer, ...options }, listener), "https", replies);
}

/**
 * Starts a TLS server with a certificate of the tests' own authority. It forwards the decrypted bytes.
 * @param host the host and port of a server without TLS.
 */
export function forwardTls(host: string): Promise<Loopback> {
  const [name = "", port = ""] = host.split(":");
  const server = tls.createServer(trustedServer, (socket) => {
    pipeline(socket, net.connect(Number(port), name), socket, () => {});
  });
  return listen(server, "https");
}

async function serveBy(
  create: (listener: http.RequestListener) => net.Server,
  scheme: string,
  replies: [Reply, ...Reply[]],
): Promise<Loopback> {
  const server = create(async (incoming, response) => {
    let body = "";
    for await (const chunk of incoming) {
      body += chunk;
    }
    const request = {
      method: incoming.method ?? "",
      url: incoming.url ?? "",
      headers: incoming.headers,
      body,
    };
    const number = loopback.requests.push(request);
    const reply = replies[Math.min(number, replies.length) - 1] ?? replies[0];
    reply(response, { request, number, socket: incoming.socket });
  });
  const loopback = await listen(server, scheme);
  return loopback;
}

export function answer(status: number, body: unknown, headers: http.OutgoingHttpHeaders = {}): Reply {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };
}

export const reset: Reply = (_, { socket }) => void socket.resetAndDestroy();
export const closed: Reply = (_, { socket }) => void socket.destroy();
export const silence: Reply = () => {};
/** Sends only a part of the body that it announces, and then closes the connection. */
export const torn: Reply = (response, { socket }) => {
  response.writeHead(200, { "content-length": "100" });
  response.write('{"jobId":');
  setImmediate(() => socket.destroy());
};
