import type { Socket } from "node:net";
import type { SecureContext } from "node:tls";
import { unlessAborted } from "../support/abort";
import { ConnectionError } from "../support/errors";
import { formatDuration } from "../support/time/duration";
import { words } from "../support/words";
import { describeFault, faultRemedy } from "./connectionFault";
import { directConnector, httpLibrary } from "./httpLibrary";
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
export async function openTunnel(proxy: ForwardProxy, options: TunnelOptions): Promise<Socket> {
  const { target, timeout, secureContext } = options;
  const { authorization } = proxy;
  const headers = {
    host: target,
    "user-agent": userAgent(),
    ...(authorization !== undefined && { "proxy-authorization": authorization }),
  };
  const { Client } = httpLibrary();
  const client = new Client(proxy.origin, { connect: directConnector(secureContext, timeout) });
  try {
    const asking = client.connect({ path: target, headers });
    // The HTTP library does not watch a signal while it connects.
    const { statusCode, socket } = await unlessAborted(asking, AbortSignal.timeout(timeout));
    if (statusCode >= 200 && statusCode <= 299) {
      return socket as Socket;
    }
    socket.on("error", () => {}).destroy();
    throw refusal(proxy, target, statusCode);
  } catch (error) {
    throw error instanceof ConnectionError ? error : noTunnel(proxy, error, timeout);
  } finally {
    // An open tunnel no longer belongs to the client.
    void client.destroy();
  }
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

function noTunnel(proxy: ForwardProxy, error: unknown, timeout: number): ConnectionError {
  const { name, code } = error as NodeJS.ErrnoException;
  if (name === "TimeoutError") {
    return unusable(proxy, `gave no answer to CONNECT within ${formatDuration(timeout)}`);
  }
  if (name === "HTTPParserError") {
    return unusable(proxy, "gave an invalid answer to CONNECT");
  }
  return unusable(
    proxy,
    code === "UND_ERR_SOCKET" ? "closed the connection without an answer" : `cannot be used: ${describeFault(error)}`,
    faultRemedy(error),
  );
}

function unusable(proxy: ForwardProxy, what: string, remedy?: string): ConnectionError {
  return new ConnectionError({
    happened: `the proxy ${proxy.host} ${what}`,
    remedy: `${remedy ?? `check the proxy, and ${proxy.variable} and NO_PROXY in the environment`}; then run \`${words.run}\` again.`,
  });
}
