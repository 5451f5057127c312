import { BlockList, isIP } from "node:net";

/** True for a host name that always means this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** The list also contains its IPv4 addresses in IPv6 form. */
const thisMachine = new BlockList();
thisMachine.addSubnet("127.0.0.0", 8, "ipv4");
thisMachine.addSubnet("0.0.0.0", 8, "ipv4");
thisMachine.addSubnet("::", 127, "ipv6");

/** True for each name and address that leads to this machine, however it is written. */
export function isThisMachine(hostname: string): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost") || holdsAddress(thisMachine, hostname);
}

/** Whether a host is an address, and not a name, that is in a list. */
export function holdsAddress(list: BlockList, hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, "");
  const version = isIP(address);
  return version !== 0 && list.check(address, version === 6 ? "ipv6" : "ipv4");
}
