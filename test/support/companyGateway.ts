import { onTestFinished } from "vitest";
import type { Platform } from "../../simulator/index";
import { startGateway } from "../../tools/servers/startGateway";
import { trustedServer } from "./certificate";

export const companyOrigin = "https://docs.example.test";

/**
 * Starts a company's gateway in front of a platform. It serves https, with a certificate of the company's own
 * authority. The platform's links lead to the gateway.
 * @returns the port of the gateway, and the User-Agent of each request.
 */
export async function startCompanyGateway(platform: Platform): Promise<{ port: number; userAgents: string[] }> {
  const userAgents: string[] = [];
  const gateway = await startGateway({
    target: platform.baseUrl,
    tls: trustedServer,
    origin: companyOrigin,
    onRequest: (headers) => void userAgents.push(String(headers["user-agent"])),
  });
  onTestFinished(gateway.close);
  return { port: gateway.port, userAgents };
}
