import { BlockList, isIP } from "node:net";
import { domainToASCII } from "node:url";

export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** Also matches IPv4 addresses in their IPv6 form. */
const thisMachine = new BlockList();
thisMachine.addSubnet("127.0.0.0", 8, "ipv4");
thisMachine.addSubnet("0.0.0.0", 8, "ipv4");
thisMachine.addSubnet("::", 127, "ipv6");

export function isThisMachine(hostname: string): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost") || containsAddress(thisMachine, hostname);
}

export function containsAddress(list: BlockList, hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, "");
  const version = isIP(address);
  return version !== 0 && list.check(address, version === 6 ? "ipv6" : "ipv4");
}

/** Returns true if a bundle may go to this address. `plainLoopback` also allows plain http to a loopback address. */
export function isAllowedBundleAddress(
  { protocol, hostname }: { protocol: string; hostname: string },
  { plainLoopback }: { plainLoopback: boolean },
): boolean {
  return protocol === "https:" || (protocol === "http:" && plainLoopback && isLoopback(hostname));
}

export function hostNameWithoutDot({ hostname }: URL): string {
  return hostname.replace(/\.$/, "");
}

/** Compares the names in lower case, in punycode, and without a dot at the end. */
export function isSameHost(one: string, other: string): boolean {
  return comparedForm(one) === comparedForm(other);
}

function comparedForm(host: string): string {
  const name = host.replace(/\.$/, "").toLowerCase();
  return domainToASCII(name) || name;
}
