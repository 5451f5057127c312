import type { HttpOperationResponse, IHttpClient, RestError, WebResource } from "@azure/storage-blob";
import type { Agent, Dispatcher } from "undici";
import { describeFault } from "../../network/connectionFault";
import { limitOf, longestTimer } from "../../support/abort";
import { timeLimits } from "../../support/time/timeLimits";
import { readBounded } from "../textFile";

/** The largest answer without a blob: a page of a listing, or an error; bytes. */
const maxAnswerBytes = 16 * 1024 ** 2;

export interface AzureHttpOptions {
  agent: Agent;
  /** The only origin that requests go to. */
  origin: string;
  RestError: typeof RestError;
}

/** Sends the requests of Azure's SDK by our own HTTP library, so that proxies, authorities and limits are those of every store. */
export function azureHttpClient({ agent, origin, RestError }: AzureHttpOptions): IHttpClient {
  return {
    async sendRequest(request) {
      const { origin: target, pathname, search } = new URL(request.url);
      if (target !== origin) {
        throw new Error("the answer redirects to another server; nothing was sent there");
      }
      const limit = limitOf(request.body === undefined ? timeLimits.storageAnswer : longestTimer, signalOf(request));
      try {
        const response = await agent.request({
          origin,
          path: pathname + search,
          method: request.method as Dispatcher.HttpMethod,
          headers: request.headers.toJson({ preserveCase: true }),
          body: request.body ?? null,
          signal: limit.signal,
        });
        return await answerOf(request, response);
      } catch (error) {
        if (request.abortSignal?.aborted) {
          throw error;
        }
        // The SDK repeats a request after an error of this kind.
        const fault = limit.isUp() ? limit.signal.reason : error;
        const options = { code: RestError.REQUEST_SEND_ERROR };
        throw Object.assign(new RestError(describeFault(fault), options), { cause: fault });
      } finally {
        limit.end();
      }
    },
  };
}

async function answerOf(request: WebResource, response: Dispatcher.ResponseData): Promise<HttpOperationResponse> {
  const { statusCode: status, body } = response;
  const headers = request.headers.clone();
  for (const name of headers.headerNames()) {
    headers.remove(name);
  }
  for (const [name, value] of Object.entries(response.headers)) {
    headers.set(name, [value].flat().join(", "));
  }
  const isBlob = request.streamResponseStatusCodes?.has(status) ?? false;
  if (isBlob) {
    // The SDK stops listening before it destroys a stream whose reader has gone: that error would end the process.
    body.on("error", () => {});
  }
  return isBlob
    ? { request, status, headers, readableStreamBody: body }
    : { request, status, headers, bodyAsText: (await readBounded(body, maxAnswerBytes)).toString("utf8") };
}

function signalOf({ abortSignal }: WebResource): AbortSignal {
  return (abortSignal as AbortSignal | undefined) ?? new AbortController().signal;
}
