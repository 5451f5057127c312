/** A host name or address in the form of URLs; or `*.` and a name, for every name below that name. */
export type HostPattern = string;

/** @returns undefined where the text is not a host, such as an address with a scheme, a port or a path. */
export function parseHostPattern(text: string): HostPattern | undefined {
  const [, wildcard = "", host = ""] = /^(\*\.)?([^\s/?#@:*\\]+|\[[\da-f:.]+\])$/i.exec(text) ?? [];
  const address = `https://${host}`;
  return URL.canParse(address) ? wildcard + nameOf(new URL(address)) : undefined;
}

export function matchesHost(pattern: HostPattern, address: URL): boolean {
  const name = nameOf(address);
  return pattern.startsWith("*.") ? name.endsWith(pattern.slice(1)) : name === pattern;
}

/** The host of an address, without the dot that a name may end with. */
export function nameOf({ hostname }: URL): string {
  return hostname.replace(/\.$/, "");
}
