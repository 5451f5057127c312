import type { SecureContext } from "node:tls";
import type { Agent } from "undici";
import type { Settings } from "../settings/settings";
import { timeLimits } from "../support/time/timeLimits";
import { loadSecureContext, loadTlsContextWithExtraAuthorities } from "./authorities";
import { findProxyForAddress } from "./proxy";

/**
 * Uses the environment's proxy. Sends the client certificate only to the platform's origin.
 * @param timeout for each step of opening a connection, in milliseconds.
 */
export function openDispatcher(
  { origin, tls }: Pick<Settings, "origin" | "tls">,
  timeout: number,
  options: Agent.Options = {},
): Agent {
  const trusted = loadSecureContext({ ...tls, clientCertFile: undefined, clientKeyFile: undefined });
  return agentFor(
    (address) => (address.origin === origin ? loadSecureContext(tls) : trusted),
    trusted,
    timeout,
    options,
  );
}

export function openStorageDispatcher(): Agent {
  const trusted = loadTlsContextWithExtraAuthorities();
  const limits = { headersTimeout: timeLimits.storageSilence, bodyTimeout: timeLimits.storageSilence };
  return agentFor(() => trusted, trusted, timeLimits.connect, limits);
}

function agentFor(
  contextOf: (address: URL) => SecureContext | undefined,
  trusted: SecureContext | undefined,
  timeout: number,
  options: Agent.Options,
): Agent {
  // The library is loaded only here, because loading it would take most of the start time of a process.
  const { Agent, EnvHttpProxyAgent, Pool }: typeof import("undici") = require("undici");
  // HTTP/2 is off, because the checks of an answer's size and completeness are written for HTTP/1.1.
  const tlsOf = (secure: SecureContext | undefined) => ({
    timeout,
    allowH2: false,
    ...(secure && { secureContext: secure }),
  });
  return new Agent({
    ...options,
    factory(origin, pool) {
      const address = new URL(origin);
      const connect = tlsOf(contextOf(address));
      const proxy = findProxyForAddress(address);
      return proxy === undefined
        ? new Pool(address.origin, { ...pool, connect })
        : new EnvHttpProxyAgent({
            ...options,
            httpProxy: proxy.address.href,
            httpsProxy: proxy.address.href,
            connectTimeout: timeout,
            connect,
            requestTls: connect,
            proxyTls: tlsOf(trusted),
          });
    },
  });
}
