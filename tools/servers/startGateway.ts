import type { IncomingHttpHeaders } from "node:http";
import http from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

export interface GatewayOptions {
  /** The origin of the server behind the gateway. The gateway reaches it by http. */
  target: string;
  /** The key and the certificate, as PEM. */
  tls: { key: string; cert: string };
  /** The address of this machine at which the gateway listens. Default: 127.0.0.1. */
  address?: string;
  /** The origin for clients, which replaces the target's origin in JSON answers. Default: the gateway's own origin. */
  origin?: string;
  /** If true, the gateway changes nothing. S3 needs this, because S3's signatures include the host. Default: false. */
  isTransparent?: boolean;
  onRequest?: (headers: IncomingHttpHeaders) => void;
}

export interface Gateway {
  origin: string;
  port: number;
  /** While true, the gateway breaks all connections. */
  isDown: boolean;
  close(): void;
}

/** Starts a gateway, which accepts https and forwards each request by http. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { target, tls, address = "127.0.0.1", isTransparent = false, onRequest } = options;
  const { hostname, port } = new URL(target);
  const server = https.createServer(tls, (incoming, response) => {
    if (gateway.isDown) {
      response.destroy();
      return;
    }
    const { method, url: path, headers } = incoming;
    onRequest?.(headers);
    const host = isTransparent ? headers.host : `${hostname}:${port}`;
    const asked = http.request({ hostname, port, method, path, headers: { ...headers, host } });
    asked.on("error", () => response.destroy());
    asked.on("response", (answered) => {
      answered.on("error", () => response.destroy());
      const isJson = /^application\/json\b/.test(String(answered.headers["content-type"]));
      if (isJson && method !== "HEAD" && !isTransparent) {
        void rewritten(answered, response, (text) => text.replaceAll(target, gateway.origin));
      } else {
        response.writeHead(answered.statusCode ?? 500, answered.headers);
        answered.pipe(response);
      }
    });
    incoming.pipe(asked);
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const opened = (server.address() as AddressInfo).port;
  const gateway: Gateway = {
    origin: options.origin ?? `https://${address}:${opened}`,
    port: opened,
    isDown: false,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
  return gateway;
}

async function rewritten(
  answered: http.IncomingMessage,
  response: http.ServerResponse,
  rewrite: (text: string) => string,
): Promise<void> {
  const body = Buffer.from(rewrite(String(await buffer(answered))));
  const { "transfer-encoding": _, ...kept } = answered.headers;
  response.writeHead(answered.statusCode ?? 500, { ...kept, "content-length": body.length }).end(body);
}
