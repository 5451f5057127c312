import http from "node:http";
import https from "node:https";
import type { Socket } from "node:net";
import type { SecureContext } from "node:tls";
import { ConnectionError } from "../support/errors";
import { formatDuration } from "../support/time/duration";
import { words } from "../support/words";
import { describeFault, faultRemedy } from "./connectionFault";
import type { ForwardProxy } from "./proxy";
import { userAgent } from "./userAgent";

export interface TunnelOptions {
  /** Host and port. */
  target: string;
  /** The longest time until the tunnel is open, in milliseconds. */
  timeout: number;
  /** The TLS context for a proxy that is itself reached by https. */
  secureContext: SecureContext | undefined;
}

/**
 * Asks a proxy for a tunnel (CONNECT). Before the tunnel is open, nothing is sent to the server behind it.
 * @throws ConnectionError that names the proxy's host and port, and never its user or password.
 */
export function openTunnel(proxy: ForwardProxy, options: TunnelOptions): Promise<Socket> {
  const { target, timeout, secureContext } = options;
  return new Promise((resolve, reject) => {
    const request = (proxy.isHttps ? https : http).request({
      host: proxy.hostname,
      port: proxy.port,
      method: "CONNECT",
      path: target,
      headers: {
        host: target,
        "user-agent": userAgent(),
        ...(proxy.authorization !== undefined && { "proxy-authorization": proxy.authorization }),
      },
      agent: false,
      ...(secureContext && { secureContext }),
    });
    const giveUp = (error: Error) => {
      clearTimeout(timer);
      reject(error);
      request.destroy();
    };
    const timer = setTimeout(
      () => giveUp(unusable(proxy, `gave no answer to CONNECT within ${formatDuration(timeout)}`)),
      timeout,
    );
    request.on("error", (error) => giveUp(noAnswer(proxy, error)));
    request.on("connect", ({ statusCode = 0 }, socket: Socket) => {
      if (statusCode < 200 || statusCode > 299) {
        socket.on("error", () => {}).destroy();
        giveUp(refusal(proxy, target, statusCode));
        return;
      }
      clearTimeout(timer);
      resolve(socket);
    });
    request.end();
  });
}

function refusal(proxy: ForwardProxy, target: string, status: number): ConnectionError {
  const host = `the proxy ${proxy.host}`;
  if (status === 407) {
    const happened =
      proxy.authorization === undefined
        ? `${host} requires a user name and a password (407)`
        : `${host} does not accept the user name and the password that ${proxy.variable} gives (407)`;
    return new ConnectionError({
      final: true,
      happened,
      remedy: `give both in ${proxy.variable}, before the host: user:password@${proxy.host}, with special characters percent-encoded.`,
    });
  }
  if (status === 408 || status === 429 || status >= 500) {
    return unusable(proxy, `could not open a tunnel to ${target} (${status})`);
  }
  return new ConnectionError({
    final: true,
    happened: `${host} refused the tunnel to ${target} (${status})`,
    remedy: `allow ${target} in the proxy, or add the host to NO_PROXY if this machine reaches it without a proxy.`,
  });
}

function noAnswer(proxy: ForwardProxy, error: Error): ConnectionError {
  const { code = "" } = error as NodeJS.ErrnoException;
  if (code.startsWith("HPE_")) {
    return unusable(proxy, "gave an invalid answer to CONNECT");
  }
  return unusable(
    proxy,
    error.message === "socket hang up"
      ? "closed the connection without an answer"
      : `cannot be used: ${describeFault(error)}`,
    faultRemedy(error),
  );
}

function unusable(proxy: ForwardProxy, what: string, remedy?: string): ConnectionError {
  return new ConnectionError({
    happened: `the proxy ${proxy.host} ${what}`,
    remedy: `${remedy ?? `check the proxy, and ${proxy.variable} and NO_PROXY in the environment`}; then run \`${words.run}\` again.`,
  });
}
