import type { Dispatcher } from "undici";
import { unlessAborted } from "../../support/abort";
import { DownloadError } from "../../support/errors";
import { type LinkRule, requireLinkAddress } from "../../support/linkAddress";

const maxRedirects = 3;
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export interface LinkRequest {
  link: string;
  headers: Record<string, string>;
  /** Where the link may lead, and what redirects it. */
  rule: LinkRule;
  signal: AbortSignal;
}

/**
 * Asks for what a presigned link leads to, without the key, over at most three redirects.
 * @throws LinkAddressError where it leads, or is redirected, to where no link may lead; DownloadError where the redirects
 * lead nowhere; whatever else it throws is a fault of the network.
 */
export async function requestLink(dispatcher: Dispatcher, request: LinkRequest): Promise<Dispatcher.ResponseData> {
  let address = new URL(request.link);
  for (let followed = 0; ; followed++) {
    requireLinkAddress(address, request.rule, followed === 0 ? "the link leads" : "the link is redirected");
    const response = await send(dispatcher, address, request);
    if (!redirectStatuses.has(response.statusCode)) {
      return response;
    }
    discardBody(response);
    const { location } = response.headers;
    if (followed === maxRedirects) {
      throw linkError(`the link is redirected more than ${maxRedirects} times`);
    }
    if (typeof location !== "string" || !URL.canParse(location, address.href)) {
      throw linkError(`${address.host} redirects the link to nowhere (HTTP ${response.statusCode})`);
    }
    address = new URL(location, address.href);
  }
}

/** An answer whose body is not worth reading: its connection is given up. */
export function discardBody({ body }: Dispatcher.ResponseData): void {
  body.on("error", () => {}).destroy();
}

async function send(
  dispatcher: Dispatcher,
  { origin, pathname, search }: URL,
  { headers, signal }: LinkRequest,
): Promise<Dispatcher.ResponseData> {
  signal.throwIfAborted();
  // What is mirrored are the bytes themselves, and their sizes and ranges have to be those of the archive.
  const sent = { "accept-encoding": "identity", "user-agent": "pulumi-docs-platform", ...headers };
  const answering = dispatcher.request({ origin, path: pathname + search, method: "GET", headers: sent, signal });
  // While the connection is being made, the HTTP library does not look at the signal.
  return unlessAborted(answering, signal);
}

function linkError(happened: string): DownloadError {
  return new DownloadError({
    happened,
    remedy: "the platform's links are at fault, or something before its storage: tell its operator.",
  });
}
