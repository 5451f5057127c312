import type { Agent, buildConnector } from "undici";
import type { Settings } from "../settings/settings";
import { timeLimits } from "../support/time/timeLimits";
import { processContext, secureContext } from "./authorities";
import { directConnector, httpLibrary } from "./httpLibrary";
import { proxyFor } from "./proxy";
import { openTunnel } from "./tunnel";

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
  const [toPlatform, toOthers] = [directConnector(secureContext(tls), timeout), directConnector(trusted, timeout)];
  return throughProxies((address) => (address.origin === origin ? toPlatform : toOthers), trusted, timeout);
}

/** Connections to a storage, which is reached without any setting but the process's `caFile`. */
export function createStorageAgent(): Agent {
  const trusted = processContext();
  const connect = directConnector(trusted, timeLimits.connect);
  const { Agent } = httpLibrary();
  return new Agent({
    connect: throughProxies(() => connect, trusted, timeLimits.connect),
    headersTimeout: timeLimits.storageSilence,
    bodyTimeout: timeLimits.storageSilence,
  });
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
      const host = `${address.hostname}:${target.port || "443"}`;
      return proxy && (await openTunnel(proxy, { target: host, timeout, secureContext: trusted }));
    })().then(
      (httpSocket) => connect(httpSocket === undefined ? target : { ...target, httpSocket }, callback),
      (error: Error) => callback(error, null),
    );
  };
}
