import type { Readable } from "node:stream";
import type { Agent, Dispatcher } from "undici";
import { timedSignal } from "../support/abort";
import { formatDuration } from "../support/time/duration";
import { readBounded } from "./textFile";

/**
 * The limits of an answer that is not content: a manifest, a page of a listing, an error. A library parses it in one
 * piece, and the process can do nothing else meanwhile. Registries accept no manifest above 4 MiB.
 */
const limits = { bytes: 4 * 1024 ** 2, tags: 100_000 };

export interface StorageRequest {
  address: URL;
  method: string;
  headers: Record<string, string>;
  /** The content of a request. A stream can be read only once, so the caller repeats a request with a stream. */
  body?: string | Uint8Array | AsyncIterable<Buffer> | null | undefined;
  signal: AbortSignal;
  /** The longest time until the answer is complete. For content: until it begins. Milliseconds. */
  timeout: number;
  /**
   * Returns true if an answer with this status is content: then the reader of the content limits its size. Any other
   * answer is read here.
   */
  isContent?: (status: number) => boolean;
}

interface StorageAnswer {
  status: number;
  headers: Dispatcher.ResponseData["headers"];
  body: Buffer;
  content?: Readable;
}

/**
 * Sends one request to a storage. Every library that sends through this function has the same limits, proxies and
 * authorities.
 */
export async function sendToStorage(agent: Agent, request: StorageRequest): Promise<StorageAnswer> {
  const { address, method, timeout, isContent = () => false } = request;
  const timeIsUp = new Error(`no complete answer within ${formatDuration(timeout)}`);
  const limit = timedSignal(timeout, request.signal, timeIsUp);
  try {
    limit.signal.throwIfAborted();
    const { statusCode, headers, body } = await agent.request({
      origin: address.origin,
      path: address.pathname + address.search,
      method: method as Dispatcher.HttpMethod,
      headers: request.headers,
      // The HTTP library accepts any iterable of bytes, but its types allow only streams.
      body: (request.body as Buffer | undefined) ?? null,
      signal: limit.signal,
    });
    if (isContent(statusCode)) {
      // A library may stop listening before it destroys a stream. An error without a listener would then end the
      // process.
      return { status: statusCode, headers, body: Buffer.alloc(0), content: body.on("error", () => {}) };
    }
    return { status: statusCode, headers, body: withFewTags(await readBounded(body, limits.bytes)) };
  } catch (error) {
    throw limit.isUp() ? timeIsUp : error;
  } finally {
    limit.end();
  }
}

function withFewTags(body: Buffer): Buffer {
  let tags = 0;
  for (let at = body.indexOf("<"); at >= 0; at = body.indexOf("<", at + 1)) {
    if (++tags > limits.tags) {
      throw new Error("the answer is too large for a storage");
    }
  }
  return body;
}
