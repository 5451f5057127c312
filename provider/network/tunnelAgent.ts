import https from "node:https";
import type { Duplex } from "node:stream";
import { processContext } from "./authorities";
import { proxyFor } from "./proxy";
import { openTunnel } from "./tunnel";

/** The largest number of simultaneous connections, as in the AWS SDK itself. */
const mostSockets = 50;

/**
 * The agent for a library that uses Node's own HTTP. Its connections use the environment's proxies and the process's
 * `caFile`.
 */
export class TunnelAgent extends https.Agent {
  readonly #timeout: number;

  /** @param timeout the longest time to open a tunnel, in milliseconds. */
  constructor(timeout: number) {
    const context = processContext();
    super({ keepAlive: true, maxSockets: mostSockets, ...(context && { secureContext: context }) });
    this.#timeout = timeout;
  }

  override createConnection(
    options: https.RequestOptions,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): Duplex | null | undefined {
    const target = `${options.host}:${options.port ?? 443}`;
    const proxy = proxyFor(new URL(`https://${target}`));
    if (proxy === undefined) {
      return super.createConnection(options, callback);
    }
    openTunnel(proxy, { target, timeout: this.#timeout, secureContext: processContext() })
      .then((socket) =>
        callback?.(null, super.createConnection({ ...options, socket } as https.RequestOptions) as Duplex),
      )
      .catch((error: Error) => callback?.(error, undefined as never));
    return undefined;
  }
}
