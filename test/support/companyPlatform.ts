import http from "node:http";
import https from "node:https";
import { onTestFinished } from "vitest";
import type { Platform } from "../../simulator/index";
import { trustedServer } from "./certificate";
import { openPort } from "./loopback";

/** The name by which a company's network knows the platform. */
export const companyOrigin = "https://docs.example.test";

/**
 * The gateway of a company before an embedded platform: https, with a certificate of the company's own authority. Links of
 * the platform lead back to it.
 * @returns its port, and the User-Agent of each request that came.
 */
export async function startGateway(platform: Platform): Promise<{ port: number; userAgents: string[] }> {
  const userAgents: string[] = [];
  const { hostname, port } = new URL(platform.baseUrl);
  const server = https.createServer(trustedServer, (incoming, response) => {
    const { method, url: path, headers } = incoming;
    userAgents.push(String(headers["user-agent"]));
    const asked = http.request({ hostname, port, method, path, headers: { ...headers, host: `${hostname}:${port}` } });
    asked.on("error", () => response.destroy());
    asked.on("response", async (answered) => {
      const chunks: Buffer[] = [];
      for await (const chunk of answered) {
        chunks.push(chunk);
      }
      const isJson = String(answered.headers["content-type"]).includes("json");
      const body = Buffer.concat(chunks);
      const sent = isJson ? Buffer.from(String(body).replaceAll(platform.baseUrl, companyOrigin)) : body;
      const { "transfer-encoding": _, ...kept } = answered.headers;
      response.writeHead(answered.statusCode ?? 500, { ...kept, "content-length": sent.length }).end(sent);
    });
    incoming.pipe(asked);
  });
  const opened = await openPort(server);
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { port: opened, userAgents };
}
