import { BlockList, isIP } from "node:net";
import { ConfigurationError } from "../support/errors";
import { hostNameOf, isThisMachine } from "../support/hostNames";
import { addSecret } from "../support/redact";

/** A forward proxy that a variable of the environment names. */
export interface ForwardProxy {
  variable: string;
  origin: string;
  /** Host and port for messages, without user and password. */
  host: string;
  /** The value of the header Proxy-Authorization; undefined without user and password. */
  authorization: string | undefined;
}

/**
 * The variables in order of precedence, as in undici. All requests use https, so the variables for http are only a
 * fallback.
 */
const variables = ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"];

/**
 * Returns the proxy for an address, by `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`; undefined if the address is reached
 * directly. This machine is never reached through a proxy. Each call reads the environment.
 * @throws ConfigurationError if the value of the variable is not a proxy. The error never shows this value.
 */
export function proxyFor(address: URL, environment: NodeJS.ProcessEnv = process.env): ForwardProxy | undefined {
  const variable = variables.find((name) => environment[name]?.trim());
  if (variable === undefined || isThisMachine(hostNameOf(address)) || isExcepted(address, environment)) {
    return undefined;
  }
  const proxy = parseProxy(variable, environment[variable]?.trim() ?? "");
  if (proxy === undefined) {
    throw new ConfigurationError([
      `${variable} in the environment is not the address of a proxy, such as http://proxy.example.com:3128`,
    ]);
  }
  return proxy;
}

/** Returns why the proxy for an address cannot be used, or undefined. */
export function proxyProblem(address: URL, environment: NodeJS.ProcessEnv): string | undefined {
  try {
    proxyFor(address, environment);
    return undefined;
  } catch (error) {
    return error instanceof ConfigurationError ? error.happened : String(error);
  }
}

function parseProxy(variable: string, text: string): ForwardProxy | undefined {
  try {
    // Many guides write only host and port.
    const url = new URL(text.includes("://") ? text : `http://${text}`);
    const defaultPort = { "http:": 80, "https:": 443 }[url.protocol];
    const password = decodeURIComponent(url.password);
    addSecret(password);
    const credentials = `${decodeURIComponent(url.username)}:${password}`;
    return defaultPort === undefined
      ? undefined
      : {
          variable,
          origin: url.origin,
          host: `${url.hostname}:${url.port || defaultPort}`,
          authorization: credentials === ":" ? undefined : `Basic ${Buffer.from(credentials).toString("base64")}`,
        };
  } catch {
    // No URL, or user and password are not correctly percent-encoded.
    return undefined;
  }
}

/**
 * Returns true if `NO_PROXY` excludes the address. The list is read as undici reads it: `*`, or names that are
 * separated by commas or blanks. A name also excludes all names below it; a name with `*.` before it excludes only
 * those. Ranges of addresses such as `10.0.0.0/8` are read as curl and Go read them.
 */
function isExcepted(address: URL, environment: NodeJS.ProcessEnv): boolean {
  const list = environment.no_proxy?.trim() || environment.NO_PROXY?.trim() || "";
  const name = hostNameOf(address).replace(/^\[|\]$/g, "");
  const port = address.port || (address.protocol === "https:" ? "443" : "80");
  return list.split(/[,\s]+/).some((entry) => {
    // An IPv6 address that is followed by a port has brackets.
    const [, host = entry, entryPort = port] = /^(\[.+\]|[^:]+):(\d+)$/.exec(entry) ?? [];
    const domain = host.replace(/^\*?\.|^\[|\]$|\.$/g, "").toLowerCase();
    const isItself = name === domain && !host.startsWith("*.");
    return (
      isInRange(name, entry) ||
      (entryPort === port && (domain === "*" || isItself || (domain !== "" && name.endsWith(`.${domain}`))))
    );
  });
}

/** @param range such as `10.0.0.0/8`. Any other text contains no address. */
function isInRange(address: string, range: string): boolean {
  const [, network = "", bits = ""] = /^\[?([\d.]+|[\da-f:.]+)\]?\/(\d{1,3})$/i.exec(range) ?? [];
  const family = isIP(network);
  if (family === 0 || family !== isIP(address) || Number(bits) > (family === 4 ? 32 : 128)) {
    return false;
  }
  const type = family === 4 ? "ipv4" : "ipv6";
  const list = new BlockList();
  list.addSubnet(network, Number(bits), type);
  return list.check(address, type);
}
