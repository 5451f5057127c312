import type { Readable } from "node:stream";
import type { Agent, Dispatcher } from "undici";
import { withTimeLimit } from "../support/abort";
import { formatDuration } from "../support/time/duration";
import { readBounded } from "./textFile";

/**
 * The limits of an answer that is not content, such as a manifest or an error. A library parses such an answer in one
 * step. Registries accept no manifest above 4 MiB.
 */
const limits = { bytes: 4 * 1024 ** 2, tags: 100_000 };

export interface StorageRequest {
  address: URL;
  method: string;
  headers: Record<string, string>;
  /** A stream can be read only once, so a repeated request needs a new stream. */
  body?: string | Uint8Array | AsyncIterable<Buffer> | null | undefined;
  signal: AbortSignal;
  /** The longest time, in milliseconds, until the answer is complete or its content begins. */
  timeout: number;
  /** Returns true for the status of an answer with content. The caller reads the content, and limits its size. */
  isContent?: (status: number) => boolean;
}

interface StorageAnswer {
  status: number;
  headers: Dispatcher.ResponseData["headers"];
  body: Buffer;
  content?: Readable;
}

/** All requests to storages use this function, so that their limits, proxies and certificates are the same. */
export function sendToStorage(agent: Agent, request: StorageRequest): Promise<StorageAnswer> {
  const { address, method, timeout, isContent = () => false } = request;
  const timeIsUp = new Error(`no complete answer within ${formatDuration(timeout)}`);
  const send = async (signal: AbortSignal): Promise<StorageAnswer> => {
    signal.throwIfAborted();
    const { statusCode, headers, body } = await agent.request({
      origin: address.origin,
      path: address.pathname + address.search,
      method: method as Dispatcher.HttpMethod,
      headers: request.headers,
      // The type is too narrow: the HTTP library accepts any iterable of bytes.
      body: (request.body as Buffer | undefined) ?? null,
      signal,
    });
    if (isContent(statusCode)) {
      // A library may remove its listeners before it destroys a stream. An error without a listener would end the
      // process.
      return { status: statusCode, headers, body: Buffer.alloc(0), content: body.on("error", () => {}) };
    }
    return { status: statusCode, headers, body: withFewTags(await readBounded(body, limits.bytes)) };
  };
  return withTimeLimit(timeout, request.signal, send, timeIsUp);
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
