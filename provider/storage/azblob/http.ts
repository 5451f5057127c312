import type { IHttpClient } from "@azure/storage-blob";
import type { Agent } from "undici";
import { longestTimer } from "../../support/abort";
import { timeLimits } from "../../support/time/timeLimits";
import { sendToStorage } from "../http";

export function azureHttpClient(agent: Agent, origin: string): IHttpClient {
  return {
    async sendRequest(request) {
      const address = new URL(request.url);
      if (address.origin !== origin) {
        throw new Error("the answer redirects to another server; nothing was sent there");
      }
      const { body, content, ...answer } = await sendToStorage(agent, {
        address,
        method: request.method,
        headers: request.headers.toJson({ preserveCase: true }),
        body: request.body,
        signal: (request.abortSignal as AbortSignal | undefined) ?? new AbortController().signal,
        timeout: request.body === undefined ? timeLimits.storageAnswer : longestTimer,
        isContent: (status) => request.streamResponseStatusCodes?.has(status) ?? false,
      });
      const headers = request.headers.clone();
      for (const name of headers.headerNames()) {
        headers.remove(name);
      }
      for (const [name, value] of Object.entries(answer.headers)) {
        headers.set(name, [value].flat().join(", "));
      }
      const { status } = answer;
      return content === undefined
        ? { request, status, headers, bodyAsText: body.toString("utf8") }
        : { request, status, headers, readableStreamBody: content };
    },
  };
}
