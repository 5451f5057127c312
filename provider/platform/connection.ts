import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { type Dispatcher, errors } from "undici";
import { explainConnectionFault } from "../network/connectionFault";
import { openDispatcher } from "../network/dispatcher";
import { findProxyForAddress } from "../network/proxy";
import { trackSending } from "../network/trackSending";
import type { Settings } from "../settings/settings";
import { baseUrl, describeSettingPlaces, requestTimeout } from "../settings/settingTable";
import { unlessAborted, withTimeLimit } from "../support/abort";
import { ConnectionError, DocsPlatformError, RequestTimeoutError } from "../support/errors";

/** In bytes. A job's record may list all pages of a large site. */
const maxResponseSize = 8 * 1024 ** 2;

/** In milliseconds. While the connection stays open, the next poll needs no handshake. */
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

export type RequestResult = HttpAnswer | { kind: "broken"; error: (title: string) => DocsPlatformError; sent: boolean };

export function headerOf(attempt: RequestResult, name: string): string | undefined {
  const value = attempt.kind === "answer" ? attempt.headers[name] : undefined;
  return Array.isArray(value) ? value[0] : value;
}

const idHeaders = ["x-request-id", "request-id", "x-correlation-id", "x-amzn-requestid", "cf-ray"];

/** The API text shows no header with a request's id, so only a value that looks like an id counts. */
export function requestIdOf(attempt: RequestResult): string | undefined {
  const values = idHeaders.map((name) => headerOf(attempt, name));
  return values.find((value) => value !== undefined && /^[\w.:=+/-]{1,100}$/.test(value));
}

interface SendOptions {
  /** True for a new connection. The failure of a reused connection does not show whether the request was sent. */
  fresh: boolean;
  timeout: number;
  signal: AbortSignal;
}

/** Sends each request once, and reads the whole answer within `timeout` milliseconds. */
export interface PlatformConnection {
  send(request: HttpRequest, options: SendOptions): Promise<RequestResult>;
  /** Requests one byte by GET, because the link is signed for GET. Returns undefined if no answer came. */
  checkLink(link: string, options: { timeout: number; signal: AbortSignal }): Promise<number | undefined>;
  close(): Promise<void>;
}

/** @param timeout the limit for each step of opening a connection, in milliseconds. */
export function openConnection(reach: Pick<Settings, "origin" | "tls">, timeout: number): PlatformConnection {
  const open = () => openDispatcher(reach, timeout, { keepAliveTimeout, maxResponseSize });
  const pool = open();
  return {
    async send(request, options) {
      const dispatcher = options.fresh ? open() : pool;
      try {
        return await exchange(dispatcher, request, options);
      } finally {
        if (options.fresh) {
          // The end of the connection is not awaited, so that the caller can save the answer at once.
          void dispatcher.destroy();
        }
      }
    },
    async checkLink(link, { timeout, signal }) {
      const { origin, pathname, search } = new URL(link);
      const request = { origin, method: "GET", path: pathname + search, headers: { range: "bytes=0-0" } } as const;
      const send = async (limited: AbortSignal) => {
        const { statusCode, body } = await pool.request({ ...request, signal: limited });
        // A server that does not support ranges sends the whole file, so the body is not read.
        body.on("error", () => {}).destroy();
        return statusCode;
      };
      return withTimeLimit(timeout, signal, send).catch(() => undefined);
    },
    close: () => pool.destroy(),
  };
}

/**
 * On a fresh connection, the answer to a sent request is awaited even after the caller aborts. Only the answer has the
 * id of what the platform created.
 */
async function exchange(
  dispatcher: Dispatcher,
  request: HttpRequest,
  { fresh, timeout, signal }: SendOptions,
): Promise<RequestResult> {
  const { method, origin, path, headers, body = null } = request;
  let isSent = () => false;
  const beforeSent = new AbortController();
  const abort = () => (fresh && isSent()) || beforeSent.abort(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) {
    abort();
  }
  const timeIsUp = new Error("the time is up");
  const send = async (limited: AbortSignal): Promise<RequestResult> => {
    limited.throwIfAborted();
    const observed = trackSending(() => dispatcher.request({ origin, method, path, headers, body, signal: limited }));
    isSent = observed.isSent;
    // The signal is checked here, too, because the HTTP library ignores the signal while it opens a connection.
    const response = await unlessAborted(observed.answer, limited);
    return { kind: "answer", status: response.statusCode, headers: response.headers, text: await textOf(response) };
  };
  try {
    return await withTimeLimit(Math.max(1, Math.ceil(timeout)), beforeSent.signal, send, timeIsUp);
  } catch (cause) {
    return { kind: "broken", error: (title) => broken(title, cause, cause === timeIsUp, origin), sent: isSent() };
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

async function textOf({ body, headers }: Dispatcher.ResponseData): Promise<string> {
  const bytes = Buffer.from(await body.arrayBuffer());
  return new TextDecoder().decode(await decodeBody(bytes, headers["content-encoding"], maxResponseSize));
}

type Unpack = (packed: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const unpackings = new Map<string, Unpack>([
  ["gzip", promisify(gunzip)],
  ["br", promisify(brotliDecompress)],
  ["deflate", promisify(inflate)],
  ["identity", async (body) => body],
]);

/** Some gateways encode a body, even if the client has not asked for it. `limit` is in bytes, after decoding. */
async function decodeBody(body: Buffer, header: string | string[] | undefined, limit: number): Promise<Buffer> {
  const name =
    String(header ?? "")
      .trim()
      .toLowerCase() || "identity";
  const unpack = unpackings.get(name);
  if (unpack === undefined) {
    throw new Error(`its body has the unknown encoding ${JSON.stringify(name)}`);
  }
  try {
    return await unpack(body, { maxOutputLength: limit });
  } catch (cause) {
    const isTooLarge = cause instanceof Error && "code" in cause && cause.code === "ERR_BUFFER_TOO_LARGE";
    throw isTooLarge ? cause : new Error(`its body cannot be decoded as ${name}`, { cause });
  }
}

function broken(title: string, cause: unknown, timedOut: boolean, origin: string): DocsPlatformError {
  // A DocsPlatformError describes a wrong setting of this machine, and not a broken connection.
  if (cause instanceof DocsPlatformError) {
    return cause;
  }
  if (timedOut || cause instanceof errors.HeadersTimeoutError || cause instanceof errors.BodyTimeoutError) {
    return new RequestTimeoutError({
      happened: `"${title}" at ${origin} gave no answer within the limit of one request.`,
      remedy: `check that the platform is up${proxyText(origin)}, or raise ${describeSettingPlaces(requestTimeout)}.`,
    });
  }
  const { code } = Object(cause) as { code?: unknown };
  if (tooLarge.includes(code)) {
    return new ConnectionError({
      final: true,
      happened: `"${title}" at ${origin} was answered, but the answer is too large: at most ${maxResponseSize / 1024 ** 2} MiB are read (${code}).`,
      remedy: `check that the base URL in ${describeSettingPlaces(baseUrl)} leads to the admin API itself.`,
    });
  }
  const { why, remedy, isFinal } = explainConnectionFault(cause);
  return new ConnectionError({
    final: isFinal,
    happened: `"${title}" at ${origin} got no answer: ${why}.`,
    remedy: `${remedy ?? `check the base URL in ${describeSettingPlaces(baseUrl)}, the network${proxyText(origin)} and the platform's certificate`}.`,
  });
}

function proxyText(origin: string): string {
  const proxy = findProxyForAddress(new URL(origin));
  return proxy === undefined ? "" : `, the proxy ${proxy.address.host} (${proxy.variable}, NO_PROXY)`;
}

const tooLarge: readonly unknown[] = ["UND_ERR_RES_EXCEEDED_MAX_SIZE", "ERR_BUFFER_TOO_LARGE"];
