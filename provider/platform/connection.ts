import { Agent, type buildConnector, Client, type Dispatcher, errors } from "undici";
import { describeFault, faultRemedy } from "../network/connectionFault";
import { proxyFor } from "../network/proxy";
import { baseUrl, placesOf, requestTimeout } from "../settings/settingTable";
import { limitOf, unlessAborted } from "../support/abort";
import { ConnectionError, DocsPlatformError, TimeoutError } from "../support/errors";
import { decodeBody } from "./contentEncoding";

/** The size of the largest answer that is read, in bytes. All answers of the admin API are much smaller. */
const maxResponseSize = 256 * 1024;

/** How long an unused connection is kept, in milliseconds: it saves the handshake of the next poll. */
const keepAliveTimeout = 60_000;

export interface HttpRequest {
  method: "GET" | "POST";
  origin: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
}

export interface HttpAnswer {
  kind: "answer";
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

/** The outcome of one attempt: an answer, or no answer. */
export type Attempt = HttpAnswer | { kind: "broken"; error: (title: string) => DocsPlatformError; sent: boolean };

/** Returns the first value of a header; undefined without an answer. */
export function headerOf(attempt: Attempt, name: string): string | undefined {
  const value = attempt.kind === "answer" ? attempt.headers[name] : undefined;
  return Array.isArray(value) ? value[0] : value;
}

/** Sends one request, once, and reads the whole answer within `timeout` milliseconds. */
export interface Connection {
  /**
   * @param options.fresh opens a connection for this request alone: then it is known whether the request was sent. Of a
   * reused connection that is closed, it is not.
   */
  send(request: HttpRequest, options: { fresh: boolean; timeout: number; signal: AbortSignal }): Promise<Attempt>;
  /** Requests the first byte of a presigned link, by GET, as it is signed. Undefined if no answer came. */
  checkLink(link: string, options: { timeout: number; signal: AbortSignal }): Promise<number | undefined>;
  close(): Promise<void>;
}

/** Opens one pool of kept-alive connections for each origin. Every request that may be repeated uses the pool. */
export function openConnection(connect: buildConnector.connector): Connection {
  const pool = new Agent({ keepAliveTimeout, maxResponseSize, connect });
  return {
    send: (request, options) =>
      options.fresh ? sendFresh(request, options, connect) : exchange(pool, request, options, () => true),
    checkLink: (link, options) => statusOfLink(pool, link, options),
    close: () => pool.destroy(),
  };
}

async function statusOfLink(
  dispatcher: Dispatcher,
  link: string,
  { timeout, signal }: { timeout: number; signal: AbortSignal },
): Promise<number | undefined> {
  const { origin, pathname, search } = new URL(link);
  const limit = limitOf(timeout, signal);
  try {
    const { statusCode, body } = await dispatcher.request({
      origin,
      method: "GET",
      path: pathname + search,
      headers: { range: "bytes=0-0" },
      signal: limit.signal,
    });
    // A server without support for ranges sends the whole file, which is not read.
    body.on("error", () => {}).destroy();
    return statusCode;
  } catch {
    return undefined;
  } finally {
    limit.end();
  }
}

async function sendFresh(
  request: HttpRequest,
  options: { timeout: number; signal: AbortSignal },
  connect: buildConnector.connector,
): Promise<Attempt> {
  // An abort before the connection is open, with TLS and through a proxy, is safe: nothing was sent. After that, the
  // caller's signal is ignored, since only the answer tells what the platform has created.
  let connected = false;
  const beforeConnected = new AbortController();
  const abort = () => connected || beforeConnected.abort(options.signal.reason);
  options.signal.addEventListener("abort", abort, { once: true });
  if (options.signal.aborted) {
    abort();
  }
  const client = new Client(request.origin, {
    pipelining: 0,
    maxResponseSize,
    connect: (target, callback) =>
      connect(target, (...result) => {
        connected ||= result[0] === null;
        callback(...result);
      }),
  });
  try {
    const { timeout } = options;
    return await exchange(client, request, { timeout, signal: beforeConnected.signal }, () => connected);
  } finally {
    options.signal.removeEventListener("abort", abort);
    // Not awaited, so that the caller can save the answer at once.
    void client.destroy();
  }
}

async function exchange(
  dispatcher: Dispatcher,
  request: HttpRequest,
  options: { timeout: number; signal: AbortSignal },
  sent: () => boolean,
): Promise<Attempt> {
  const limit = limitOf(Math.max(1, Math.ceil(options.timeout)), options.signal);
  try {
    limit.signal.throwIfAborted();
    const answering = dispatcher.request({
      origin: request.origin,
      method: request.method,
      path: request.path,
      headers: request.headers,
      body: request.body ?? null,
      signal: limit.signal,
    });
    // The HTTP library does not watch the signal while it connects.
    const response = await unlessAborted(answering, limit.signal);
    return {
      kind: "answer",
      status: response.statusCode,
      headers: response.headers,
      text: await textOf(response),
    };
  } catch (cause) {
    return {
      kind: "broken",
      error: (title) => broken(title, cause, limit.isUp(), request.origin),
      sent: sent(),
    };
  } finally {
    limit.end();
  }
}

/** Returns the body as a text, without the byte order mark. */
async function textOf({ body, headers }: Dispatcher.ResponseData): Promise<string> {
  const bytes = Buffer.from(await body.arrayBuffer());
  return new TextDecoder().decode(await decodeBody(bytes, headers["content-encoding"], maxResponseSize));
}

function broken(title: string, cause: unknown, timedOut: boolean, origin: string): DocsPlatformError {
  // An error of a proxy, or of a setting that is not the address of a proxy, stays as it is.
  if (cause instanceof DocsPlatformError) {
    return cause;
  }
  const proxy = proxyFor(new URL(origin));
  const place = proxy === undefined ? origin : `${origin}, through the proxy ${proxy.host},`;
  if (timedOut || cause instanceof errors.HeadersTimeoutError || cause instanceof errors.BodyTimeoutError) {
    return new TimeoutError({
      happened: `"${title}" at ${place} gave no answer within the limit of one request.`,
      remedy: `check that the platform is up, or raise ${placesOf(requestTimeout)}.`,
    });
  }
  return new ConnectionError({
    happened: `"${title}" at ${place} got no answer: ${describeTooLarge(cause) ?? describeFault(cause)}.`,
    remedy: `${faultRemedy(cause) ?? `check the base URL in ${placesOf(baseUrl)}, the network and the platform's certificate`}.`,
  });
}

/** The code of an answer that the HTTP library, or the decoder of its content, does not read to its end. */
const tooLarge: readonly unknown[] = ["UND_ERR_RES_EXCEEDED_MAX_SIZE", "ERR_BUFFER_TOO_LARGE"];

function describeTooLarge(cause: unknown): string | undefined {
  const { code } = Object(cause) as { code?: unknown };
  return tooLarge.includes(code)
    ? `the answer is larger than any answer of the admin API, of which ${maxResponseSize / 1_024} KiB are read (${code})`
    : undefined;
}
