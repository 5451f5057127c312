import type { Dispatcher } from "undici";
import { type LinkAddressPolicy, requireAllowedLinkAddress } from "../../network/linkAddress";
import { userAgent } from "../../network/userAgent";
import { unlessAborted } from "../../support/abort";
import { DownloadError } from "../../support/errors";

const maxRedirects = 3;
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

interface LinkRequest {
  link: string;
  headers: Record<string, string>;
  rule: LinkAddressPolicy;
  signal: AbortSignal;
}

/**
 * Requests a presigned link, without the API key, and follows at most three redirects.
 * @throws ForbiddenLinkAddressError for a forbidden address, and DownloadError for an invalid redirect or too many redirects.
 * Any other error is a network error.
 */
export async function fetchFromLink(dispatcher: Dispatcher, request: LinkRequest): Promise<Dispatcher.ResponseData> {
  const { rule, signal } = request;
  // The mirror needs the archive's own bytes, because sizes and ranges of a compressed form would not match.
  const headers = { "accept-encoding": "identity", "user-agent": userAgent(), ...request.headers };
  let { link } = request;
  for (let followed = 0; ; followed++) {
    const address = new URL(link);
    requireAllowedLinkAddress(address, rule, followed === 0 ? "the link points" : "the link is redirected");
    signal.throwIfAborted();
    const sent = { origin: address.origin, path: pathOf(link, address), method: "GET", headers, signal } as const;
    // The HTTP library ignores the signal while it connects.
    const response = await unlessAborted(dispatcher.request(sent), signal);
    if (!redirectStatuses.has(response.statusCode)) {
      return response;
    }
    discardBody(response);
    const { location } = response.headers;
    if (followed === maxRedirects) {
      throw linkError(`the link is redirected more than ${maxRedirects} times`);
    }
    if (typeof location !== "string" || !URL.canParse(location, address.href)) {
      throw linkError(`${address.host} redirects the link, but to no valid address (HTTP ${response.statusCode})`);
    }
    link = URL.canParse(location) ? location : resolved(location, address);
  }
}

/** Returns the path and the query unchanged: the platform may have signed exactly these characters. */
function pathOf(link: string, { pathname, search }: URL): string {
  const [, written = ""] = /^\s*[a-z]+:\/\/[^/\\?#]*([^#]*)/i.exec(link) ?? [];
  const path = written.startsWith("/") ? written : `/${written}`;
  // The HTTP library refuses characters that a request line must not contain, such as a blank.
  return /^[!-~]+$/.test(path) ? path : pathname + search;
}

function resolved(location: string, { origin, href }: URL): string {
  return /^\/(?![/\\])/.test(location) ? `${origin}${location}` : new URL(location, href).href;
}

export function discardBody({ body }: Dispatcher.ResponseData): void {
  body.on("error", () => {}).destroy();
}

function linkError(happened: string): DownloadError {
  return new DownloadError({
    happened,
    remedy: "tell the platform's operator: its links, or a proxy in front of its storage, are wrong.",
  });
}
