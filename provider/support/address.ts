import { isLoopback } from "./loopback";

/**
 * Whether the bundle may be sent to or from an address: by https, or by plain http on this machine where the platform
 * itself runs on it (in a test).
 */
export function isSafeAddress(
  { protocol, hostname }: { protocol: string; hostname: string },
  { plainLoopback }: { plainLoopback: boolean },
): boolean {
  return protocol === "https:" || (protocol === "http:" && plainLoopback && isLoopback(hostname));
}
