import type { Agent, buildConnector } from "undici";
import type { Settings } from "../settings/settings";
import { timeLimits } from "../support/time/timeLimits";
import { processContext, secureContext } from "./authorities";
import { proxyFor } from "./proxy";
import { openTunnel } from "./tunnel";

/** At the first connection: a start that connects to nothing would spend most of its time on this library. */
const httpLibrary = (): typeof import("undici") => require("undici");

/**
 * Creates the function that opens the connections of the HTTP library, directly or through the environment's proxy. It
 * trusts the authorities of the settings. It shows the client certificate only to the platform's origin.
 * @param timeout the longest time of each step of a connection, in milliseconds.
 */
export function createConnector(
  { origin, tls }: Pick<Settings, "origin" | "tls">,
  timeout: number,
): buildConnector.connector {
  const trusted = secureContext({ ...tls, clientCertFile: undefined, clientKeyFile: undefined });
  const [connectPlatform, connectOther] = [connectTo(secureContext(tls), timeout), connectTo(trusted, timeout)];
  return throughProxies((address) => (address.origin === origin ? connectPlatform : connectOther), trusted, timeout);
}

/** Connections to a storage, which is reached without any setting but the process's `caFile`. */
export function createStorageAgent(): Agent {
  const trusted = processContext();
  const connect = connectTo(trusted, timeLimits.connect);
  const { Agent } = httpLibrary();
  return new Agent({
    connect: throughProxies(() => connect, trusted, timeLimits.connect),
    headersTimeout: timeLimits.storageSilence,
    bodyTimeout: timeLimits.storageSilence,
  });
}

function connectTo(context: ReturnType<typeof secureContext>, timeout: number): buildConnector.connector {
  // The detection of sent requests, the limits of answers and the checks of body ends are written for HTTP/1.1.
  return httpLibrary().buildConnector({ timeout, allowH2: false, ...(context && { secureContext: context }) });
}

function throughProxies(
  connectorOf: (address: URL) => buildConnector.connector,
  trusted: ReturnType<typeof secureContext>,
  timeout: number,
): buildConnector.connector {
  return (target, callback) => {
    const address = new URL(`${target.protocol}//${target.host ?? target.hostname}`);
    const connect = connectorOf(address);
    (async () => {
      const proxy = proxyFor(address);
      if (proxy === undefined) {
        return undefined;
      }
      const port = target.port || "443";
      return openTunnel(proxy, { target: `${address.hostname}:${port}`, timeout, secureContext: trusted });
    })().then(
      (httpSocket) => connect(httpSocket === undefined ? target : { ...target, httpSocket }, callback),
      (error: Error) => callback(error, null),
    );
  };
}
