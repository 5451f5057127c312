import { ConfigurationError } from "../support/errors";
import { hostNameWithoutDot, isThisMachine } from "../support/hostNames";
import { registerSecret } from "../support/redact";

/** In order of precedence. All requests through a proxy use https, so the variables for http come last. */
const variables = ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"];

/**
 * Returns undefined without a proxy, and for an address on this machine. The HTTP library itself reads `NO_PROXY`.
 * @throws ConfigurationError if the variable's value is not the address of a proxy. The error never shows this value.
 */
export function findProxyForAddress(
  address: URL,
  environment: NodeJS.ProcessEnv = process.env,
): { variable: string; address: URL } | undefined {
  const variable = variables.find((name) => environment[name]?.trim());
  if (variable === undefined || isThisMachine(hostNameWithoutDot(address))) {
    return undefined;
  }
  const proxy = parseProxy(environment[variable]?.trim() ?? "");
  if (proxy === undefined) {
    throw new ConfigurationError([
      `${variable} in the environment is not the address of a proxy, such as http://proxy.example.com:3128`,
    ]);
  }
  return { variable, address: proxy };
}

export function proxyProblem(address: URL, environment: NodeJS.ProcessEnv): string | undefined {
  try {
    findProxyForAddress(address, environment);
    return undefined;
  } catch (error) {
    return error instanceof ConfigurationError ? error.happened : String(error);
  }
}

/**
 * A `#`, `?`, `/` or `\` in a password is refused, because the host of a URL ends at such a character. For example,
 * `http://user:1#2@proxy` would have the host `user`.
 */
const shape = /^https?:\/\/[^/?#\\]+\/?$/i;

function parseProxy(text: string): URL | undefined {
  try {
    // Many guides write only the host and the port, so the scheme is added.
    const address = text.includes("://") ? text : `http://${text}`;
    const url = new URL(address);
    decodeURIComponent(url.username);
    registerSecret(decodeURIComponent(url.password));
    return shape.test(address) ? url : undefined;
  } catch {
    // The text is no URL, or its user or password is not correctly percent-encoded.
    return undefined;
  }
}
