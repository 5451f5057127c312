import https from "node:https";
import type { Duplex } from "node:stream";
import { processContext } from "./authorities";
import { proxyFor } from "./proxy";
import { openTunnel } from "./tunnel";

/** As many connections at once as the AWS SDK itself allows. */
const mostSockets = 50;

/** For a library on Node's own HTTP: each connection goes the way that the environment's proxies and `caFile` say. */
export class TunnelAgent extends https.Agent {
  readonly #timeout: number;

  /** @param timeout of a tunnel, in milliseconds. */
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
