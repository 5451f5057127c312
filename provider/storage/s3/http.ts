import { Readable } from "node:stream";
import type { Agent } from "undici";
import { longestTimer } from "../../support/abort";
import { timeLimits } from "../../support/time/timeLimits";
import { sendToStorage } from "../http";

export interface SdkRequest {
  protocol: string;
  hostname: string;
  port?: number;
  path: string;
  query?: Record<string, string | string[] | null>;
  method: string;
  headers: Record<string, string>;
  body?: string | Uint8Array;
}

/** The options of one request, as they are given to the SDK's `send`. */
export interface SendOptions {
  abortSignal?: AbortSignal;
  /** Instead of the time limit of every request, in milliseconds. */
  requestTimeout?: number;
  /** True if the answer is the content of an object. */
  isContent?: boolean;
}

export function s3HttpHandler(agent: Agent) {
  return {
    async handle(request: SdkRequest, options: SendOptions = {}) {
      const { abortSignal = new AbortController().signal, isContent = false } = options;
      const usual = request.body ? longestTimer : timeLimits.storageAnswer;
      const { status, headers, body, content } = await sendToStorage(agent, {
        address: addressOf(request),
        method: request.method,
        headers: request.headers,
        body: request.body,
        signal: abortSignal,
        timeout: options.requestTimeout ?? usual,
        isContent: (code) => isContent && code < 300,
      });
      return {
        response: {
          statusCode: status,
          headers: Object.fromEntries(
            Object.entries(headers).map(([name, value]) => [name, [value].flat().join(", ")]),
          ),
          body: content ?? Readable.from([body]),
        },
      };
    },
    updateHttpClientConfig: () => {},
    httpHandlerConfigs: () => ({}),
    destroy: () => void agent.destroy().catch(() => {}),
  };
}

/** The address to which the SDK has signed a request: S3 reads a plus sign in a query as a blank. */
function addressOf({ protocol, hostname, port, path, query = {} }: SdkRequest): URL {
  const address = new URL(`${protocol}//${hostname}${port === undefined ? "" : `:${port}`}${path}`);
  const fields = new URLSearchParams();
  for (const [name, values] of Object.entries(query)) {
    [values ?? ""].flat().forEach((value) => void fields.append(name, value));
  }
  address.search = fields.toString().replaceAll("+", "%20");
  return address;
}
