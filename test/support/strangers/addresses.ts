import type { Random } from "../random";

export interface DrawnAddress {
  text: string;
  /**
   * True if the provider must refuse the URL, because the parser would drop a part of the URL, or because the key would
   * be sent in clear.
   */
  isRefused: boolean;
  /** In each request, the API's own path follows this path. */
  path: string;
  /** A secret in the URL, which an error must not show. */
  secret: string | undefined;
}

/**
 * Generates a base URL of a platform on this machine.
 * @param share the share of URLs with a common mistake, from 0 to 1.
 */
export function drawAddress(random: Random, host: string, share = 0.5): DrawnAddress {
  const secret = `s3cr3t-${random.whole(100_000, 999_999)}`;
  const segments = Array.from({ length: random.whole(0, 3) }, () =>
    random.pick(["api", "admin", "v3", "docs-platform", "a%20b", "gr%C3%B6%C3%9Fe", "API", "x.y", "~team", "a+b"]),
  );
  const path = segments.map((segment) => `/${segment}`).join("");
  const scheme = random.pick(["http://", "http://", "HTTP://", "Http://"]);
  const end = random.pick(["", "/", "//"]);
  const usual = { text: `${scheme}${host}${path}${end}`, path };
  const mistakes: readonly [() => string, ...(() => string)[]] = [
    () => `${usual.text}?token=${secret}`,
    () => `${usual.text}?`,
    () => `${usual.text}#${secret}`,
    () => `${usual.text}#`,
    () => `${scheme}${secret}@${host}${path}`,
    () => `${scheme}admin:${secret}@${host}${path}${end}`,
    () => `${scheme}@${host}${path}`,
    () => `${scheme}${host}${path}/a b`,
    () => `${scheme}${host}\\admin${path}`,
    () => `${scheme}${host}${path}/\tx`,
    () => `${scheme}${host}${path}/v1`,
    () => `${scheme}${host}${path}/v2/`,
    () => `${host}${path}`,
    () => `//${host}${path}`,
    () => `http://docs.example.com${path}`,
    () => `ftp://${host}${path}`,
  ];
  return random.next() >= share
    ? { ...usual, isRefused: false, secret: undefined }
    : { text: random.pick(mistakes)(), path, isRefused: true, secret };
}
