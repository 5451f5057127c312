import type { Dispatcher } from "undici";
import { DownloadError } from "../support/errors";
import { isSafeAddress } from "./address";

const mostRedirects = 3;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export interface LinkRequest {
  link: string;
  headers: Record<string, string>;
  /** Whether plain http within this machine will do. */
  plainLoopback: boolean;
  signal: AbortSignal;
}

/**
 * Asks for what a presigned link leads to, without the key, over at most three redirects.
 * @throws DownloadError where an address on the way is not safe; whatever else it throws is a fault of the network.
 */
export async function requestLink(dispatcher: Dispatcher, request: LinkRequest): Promise<Dispatcher.ResponseData> {
  let address = new URL(request.link);
  for (let followed = 0; ; followed++) {
    requireSafe(address, followed, request);
    const response = await send(dispatcher, address, request);
    if (!redirects.has(response.statusCode)) {
      return response;
    }
    discard(response);
    const { location } = response.headers;
    if (followed === mostRedirects) {
      throw refusal(`the link is redirected more than ${mostRedirects} times`);
    }
    if (typeof location !== "string" || !URL.canParse(location, address.href)) {
      throw refusal(`${address.host} redirects the link to nowhere (HTTP ${response.statusCode})`);
    }
    address = new URL(location, address.href);
  }
}

/** An answer whose body is not worth reading: its connection is given up. */
export function discard({ body }: Dispatcher.ResponseData): void {
  body.on("error", () => {}).destroy();
}

function requireSafe(address: URL, followed: number, request: LinkRequest): void {
  if (!isSafeAddress(address, request)) {
    throw refusal(
      `the link ${followed === 0 ? "leads" : "is redirected"} to ${address.host} by ${address.protocol.slice(0, -1)}, and not by https`,
    );
  }
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
  // The HTTP library looks at the signal only once the connection stands.
  const { promise: aborted, end } = abortOf(signal);
  try {
    return await Promise.race([answering, aborted]);
  } finally {
    end();
    answering.catch(() => {});
  }
}

function abortOf(signal: AbortSignal): { promise: Promise<never>; end(): void } {
  let onAbort = () => {};
  const promise = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
  });
  return { promise, end: () => signal.removeEventListener("abort", onAbort) };
}

function refusal(happened: string): DownloadError {
  return new DownloadError({
    happened,
    remedy: "the platform's links are at fault, or something before its storage: tell its operator.",
  });
}
