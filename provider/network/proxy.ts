import { BlockList, isIP } from "node:net";
import { ConfigurationError } from "../support/errors";
import { isThisMachine, nameOf } from "../support/hostNames";

/** A forward proxy, as a variable of the environment names it. */
export interface ForwardProxy {
  /** The variable. */
  variable: string;
  isHttps: boolean;
  /** Without the brackets of an IPv6 address. */
  hostname: string;
  port: number;
  /** Host and port, to be shown: without user and password. */
  host: string;
  /** For the header Proxy-Authorization. */
  authorization: string | undefined;
}

/** In the order in which they count, as undici has it: what is sent is https, and the variable for http stands in for the other. */
const variables = ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"];

/**
 * The proxy by which an address is reached, by `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`; undefined where it is reached
 * directly. This machine is never reached by a proxy. The environment is read at each call.
 * @throws ConfigurationError where the variable that counts holds no proxy; it never shows what it holds.
 */
export function proxyFor(address: URL, environment: NodeJS.ProcessEnv = process.env): ForwardProxy | undefined {
  const variable = variables.find((name) => environment[name]?.trim());
  if (variable === undefined || isThisMachine(nameOf(address)) || isExcepted(address, environment)) {
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

/** Why a proxy cannot be used on the way to an address, or undefined. */
export function proxyProblem(address: URL, environment: NodeJS.ProcessEnv): string | undefined {
  try {
    proxyFor(address, environment);
    return undefined;
  } catch (error) {
    return error instanceof ConfigurationError ? error.happened : String(error);
  }
}

function parseProxy(variable: string, text: string): ForwardProxy | undefined {
  // Many a guide writes host and port alone.
  const address = text.includes("://") ? text : `http://${text}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol) || url.hostname === "") {
    return undefined;
  }
  const isHttps = url.protocol === "https:";
  const port = Number(url.port) || (isHttps ? 443 : 80);
  const authorization = authorizationOf(url);
  return authorization === null
    ? undefined
    : {
        variable,
        isHttps,
        hostname: url.hostname.replace(/^\[|\]$/g, ""),
        port,
        host: `${url.hostname}:${port}`,
        authorization,
      };
}

/** @returns null where user and password are not percent-encoded as they should be. */
function authorizationOf({ username, password }: URL): string | undefined | null {
  if (username === "" && password === "") {
    return undefined;
  }
  try {
    const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return `Basic ${Buffer.from(user).toString("base64")}`;
  } catch {
    return null;
  }
}

/**
 * By `NO_PROXY`, read as undici reads it: `*`, or names with commas or blanks between, each also for all names below it, and
 * with `*.` before it only for those. Ranges of addresses such as `10.0.0.0/8` are read as curl and Go read them.
 */
function isExcepted(address: URL, environment: NodeJS.ProcessEnv): boolean {
  const list = environment.no_proxy?.trim() || environment.NO_PROXY?.trim() || "";
  const name = nameOf(address).replace(/^\[|\]$/g, "");
  const port = address.port || (address.protocol === "https:" ? "443" : "80");
  return list.split(/[,\s]+/).some((entry) => {
    // An address of IPv6 that is followed by a port stands in brackets.
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
