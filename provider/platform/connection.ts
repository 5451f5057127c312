import { Agent, type buildConnector, Client, type Dispatcher, errors } from "undici";
import { describeFault, faultRemedy } from "../network/connectionFault";
import { proxyFor } from "../network/proxy";
import { baseUrl, placesOf, requestTimeout } from "../settings/settingTable";
import { limitOf, unlessAborted } from "../support/abort";
import { ConfigurationError, ConnectionError, DocsPlatformError, TimeoutError } from "../support/errors";
import { decodeBody } from "./contentEncoding";

/** No answer of the admin API is nearly this large. A larger one is not read to its end. Bytes. */
const maxResponseSize = 256 * 1024;

/** Polls may be half a minute apart. A connection that is kept longer saves a handshake for each poll. Milliseconds. */
const keepAliveTimeout = 60_000;

export interface Request {
  method: "GET" | "POST";
  origin: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** How one attempt ended: with an answer, or without. */
export type Attempt =
  | { kind: "answer"; status: number; headers: Record<string, string | string[] | undefined>; text: string }
  | {
      kind: "broken";
      error: (title: string) => DocsPlatformError;
      sent: boolean;
      /** True where another try would end the same way. */
      final: boolean;
    };

/** Sends one request, once, and reads the whole answer within `timeout` milliseconds. */
export interface Connection {
  /**
   * @param options.fresh makes a connection for this request alone. Where that fails, the request was certainly not sent. On
   * a reused connection, a closed socket leaves this open.
   */
  send(request: Request, options: { fresh: boolean; timeout: number; signal: AbortSignal }): Promise<Attempt>;
  /**
   * Requests the first byte behind a presigned link, without the key. It is a GET, since the signature is made for GET. The
   * storage checks the signature when the request begins.
   * @returns the status, or undefined without an answer.
   */
  checkLink(link: string, options: { timeout: number; signal: AbortSignal }): Promise<number | undefined>;
  close(): Promise<void>;
}

/** One pool of kept-alive connections for each origin, for every request that may be repeated. */
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
    // A server without ranges sends the whole file. It is not read.
    body.on("error", () => {}).destroy();
    return statusCode;
  } catch {
    return undefined;
  } finally {
    limit.end();
  }
}

async function sendFresh(
  request: Request,
  options: { timeout: number; signal: AbortSignal },
  connect: buildConnector.connector,
): Promise<Attempt> {
  // Aborting before the connection is established, with TLS and through a proxy, is safe: nothing was sent. After that only the answer tells what was
  // made, and the caller's signal no longer counts.
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
    // It is not awaited: a run that is killed before the caller has saved the answer would lose it.
    void client.destroy();
  }
}

async function exchange(
  dispatcher: Dispatcher,
  request: Request,
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
      final: cause instanceof ConfigurationError || (cause instanceof ConnectionError && cause.final),
    };
  } finally {
    limit.end();
  }
}

/** The body as a text, without the byte order mark. */
async function textOf({ body, headers }: Dispatcher.ResponseData): Promise<string> {
  const bytes = Buffer.from(await body.arrayBuffer());
  return new TextDecoder().decode(await decodeBody(bytes, headers["content-encoding"], maxResponseSize));
}

function broken(title: string, cause: unknown, timedOut: boolean, origin: string): DocsPlatformError {
  // What a proxy on the way has said, or a setting that is no proxy.
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
