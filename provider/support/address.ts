import { isLoopback } from "./loopback";

/**
 * Whether the bundle may travel to or from an address: by https, or by plain http within this machine where the platform
 * itself is on it (a test).
 */
export function isSafeAddress(
  { protocol, hostname }: { protocol: string; hostname: string },
  { plainLoopback }: { plainLoopback: boolean },
): boolean {
  return protocol === "https:" || (protocol === "http:" && plainLoopback && isLoopback(hostname));
}
