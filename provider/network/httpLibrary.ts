import type { SecureContext } from "node:tls";
import type { buildConnector } from "undici";

/** At the first connection: a start that connects to nothing would spend most of its time on this library. */
export const httpLibrary = (): typeof import("undici") => require("undici");

/** Opens connections without a proxy. @param timeout the longest time of each, in milliseconds. */
export function directConnector(context: SecureContext | undefined, timeout: number): buildConnector.connector {
  // The detection of sent requests, the limits of answers and the checks of body ends are written for HTTP/1.1.
  return httpLibrary().buildConnector({ timeout, allowH2: false, ...(context && { secureContext: context }) });
}
