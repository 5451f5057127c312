import { BlockList } from "node:net";
import type { Settings } from "../settings/settings";
import { ForbiddenLinkAddressError } from "../support/errors";
import {
  containsAddress,
  hostNameWithoutDot,
  isAllowedBundleAddress,
  isLoopback,
  isThisMachine,
} from "../support/hostNames";
import { registerLinkSecrets } from "../support/redact";

export interface LinkAddressPolicy {
  /** The name of the server that creates the links, for error texts. Default: "platform". */
  from?: string;
  /** True if the server that creates the links runs on this machine. */
  loopback: boolean;
}

export function createLinkAddressPolicy({ baseUrl }: Pick<Settings, "baseUrl">): LinkAddressPolicy {
  return { loopback: isLoopback(new URL(baseUrl).hostname) };
}

/** A BlockList with an IPv4 address also matches the IPv6 form of this address. */
const linkLocal = new BlockList();
linkLocal.addSubnet("169.254.0.0", 16, "ipv4");
linkLocal.addSubnet("fe80::", 10, "ipv6");

/** The metadata services that have no link-local address, and the prefixes of NAT64, 6to4 and Teredo. */
const services = new BlockList();
services.addAddress("fd00:ec2::254", "ipv6");
services.addAddress("fd20:ce::254", "ipv6");
services.addAddress("100.100.100.200", "ipv4");
services.addAddress("168.63.129.16", "ipv4");
services.addSubnet("64:ff9b::", 96, "ipv6");
services.addSubnet("64:ff9b:1::", 48, "ipv6");
services.addSubnet("2002::", 16, "ipv6");
services.addSubnet("2001::", 32, "ipv6");

/**
 * Refuses an address to which no link of this platform may lead. Without this check, a platform could make this machine
 * send requests to the machine's own network. A host name is checked as text, and is not resolved.
 * @param how the first words of the error text. They name the source of the address.
 * @throws ForbiddenLinkAddressError if the address is refused.
 */
export function requireAllowedLinkAddress(address: URL, rule: LinkAddressPolicy, how = "the link points"): void {
  // Every link that is requested or stored passes through this function, so all links are registered here.
  registerLinkSecrets(address);
  const problem = downloadLinkAddressProblem(address, rule);
  if (problem !== undefined) {
    throw new ForbiddenLinkAddressError({
      happened: `${how} to ${address.host}${problem}`,
      remedy: "tell the platform's operator that its links, or redirects of its storage, point there.",
    });
  }
}

export function downloadLinkAddressProblem(
  address: URL,
  { from = "platform", loopback }: LinkAddressPolicy,
): string | undefined {
  const name = hostNameWithoutDot(address);
  if (!isAllowedBundleAddress(address, { plainLoopback: loopback })) {
    return ` with ${address.protocol.slice(0, -1)} instead of https`;
  }
  if (containsAddress(linkLocal, name)) {
    return ", which is a link-local address: such an address belongs to services of a machine, and not to a storage";
  }
  if (containsAddress(services, name)) {
    return ", which is an address of a cloud's own services, or one that leads to another address";
  }
  if (!loopback && isThisMachine(name)) {
    return `, which is this machine, but the ${from} is not on this machine`;
  }
  return undefined;
}
