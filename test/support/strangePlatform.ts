import http from "node:http";
import { onTestFinished } from "vitest";
import type { Platform } from "../../simulator/index";
import { testPlatform } from "./engineTest";
import { openPort } from "./loopback";

/** An answer of a platform. An object as the body is sent as JSON. */
export interface PlainAnswer {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

export interface PlainRequest {
  operation: StrangeOperation;
  method: string;
  path: string;
  body: Record<string, unknown>;
  /** The text of the body, before it is parsed. */
  text: string;
  headers: http.IncomingHttpHeaders;
}

export type StrangeOperation = "startExport" | "getExport" | "generateBundle" | "sendMessage" | "getAgentJob" | "other";

/** A behaviour that the API text allows, and that the embedded platform does not have. */
export interface Habit {
  /** Changes a request before the embedded platform gets it, or answers the request itself. */
  request?(request: PlainRequest): Partial<PlainRequest> | PlainAnswer | undefined;
  answer?(answer: PlainAnswer, request: PlainRequest): Partial<PlainAnswer> | undefined;
  /** Each link leads to these bytes, in place of the rendered site. */
  bundle?: Buffer;
  /** Changes the storage's answer for a path of the bundle. */
  file?(path: string, bundle: Buffer): Partial<PlainAnswer> | undefined;
}

const operations: readonly (readonly [StrangeOperation, RegExp])[] = [
  ["startExport", /^POST \/v1\/static-export\/jobs$/],
  ["getExport", /^GET \/v1\/static-export\/jobs\/[^/]+$/],
  ["generateBundle", /^POST \/v1\/static-export\/jobs\/[^/]+\/bundle$/],
  ["sendMessage", /^POST \/v2\/agent\/[^/]+\/job\/[^/]+\/message$/],
  ["getAgentJob", /^GET \/v2\/agent\/[^/]+\/job\/[^/]+$/],
];

export interface StrangePlatform extends Pick<Platform, "baseUrl" | "apiKey"> {
  /** The embedded platform behind the front. */
  platform: Platform;
  habit: Habit;
  /** The operations that the front forwarded to the embedded platform, in order. */
  asked: StrangeOperation[];
  requests: PlainRequest[];
}

/** A test can give the front an unusual behaviour. */
export async function strangePlatform(apiKey?: string): Promise<StrangePlatform> {
  const agentJobs = [{ projectId: "docs", id: "agent-1" }];
  const platform = await testPlatform({ jobTime: 1, agentJobs, ...(apiKey && { apiKey }) });
  const server = http.createServer((incoming, response) => {
    void reply(incoming).then(
      ({ status, headers, body }) => {
        response.writeHead(status, headers);
        response.end(Buffer.isBuffer(body) || typeof body === "string" ? body : JSON.stringify(body));
      },
      () => response.destroy(),
    );
  });
  const port = await openPort(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const front: StrangePlatform = {
    platform,
    apiKey: platform.apiKey,
    baseUrl: `http://127.0.0.1:${port}`,
    habit: {},
    asked: [],
    requests: [],
  };

  async function reply(incoming: http.IncomingMessage): Promise<PlainAnswer> {
    let text = "";
    for await (const chunk of incoming) {
      text += chunk;
    }
    const { method = "GET", url = "/", headers } = incoming;
    if (url.startsWith("/files/")) {
      const { bundle = Buffer.alloc(0), file } = front.habit;
      return { status: 200, headers: { etag: '"one"' }, body: bundle, ...file?.(url, bundle) };
    }
    const seen: PlainRequest = {
      operation: "other",
      method,
      path: url,
      body: text === "" ? {} : JSON.parse(text),
      text,
      headers,
    };
    const changed = front.habit.request?.(seen);
    const isAnswer = changed !== undefined && "status" in changed;
    const request = isAnswer ? seen : { ...seen, ...changed };
    request.operation = operations.find(([, form]) => form.test(`${request.method} ${request.path}`))?.[0] ?? "other";
    front.requests.push({ ...seen, operation: request.operation });
    if (!isAnswer) {
      front.asked.push(request.operation);
    }
    const usual = isAnswer ? changed : withBundle(await forward(request, text !== ""));
    return { ...usual, ...front.habit.answer?.(usual, request) };
  }

  async function forward(request: PlainRequest, hasBody: boolean): Promise<PlainAnswer> {
    const answered = await fetch(platform.baseUrl + request.path, {
      method: request.method,
      headers: {
        authorization: String(request.headers.authorization),
        ...(hasBody && { "content-type": "application/json" }),
      },
      ...(hasBody && { body: JSON.stringify(request.body) }),
    });
    const headers: Record<string, string> = { "content-type": "application/json" };
    for (const name of ["retry-after", "date"]) {
      const value = answered.headers.get(name);
      Object.assign(headers, value !== null && { [name]: value });
    }
    return { status: answered.status, headers, body: await answered.json() };
  }

  function withBundle(usual: PlainAnswer): PlainAnswer {
    const body = usual.body as Record<string, unknown>;
    return front.habit.bundle !== undefined && typeof body.bundleUrl === "string"
      ? {
          ...usual,
          body: {
            ...body,
            sizeBytes: front.habit.bundle.length,
            bundleUrl: `${front.baseUrl}/files/one?sig=${front.asked.length}`,
          },
        }
      : usual;
  }
  return front;
}

/** Changes fields in the body of each successful answer of one operation. */
export function fields(
  operation: StrangeOperation,
  change: (body: Record<string, unknown>) => Record<string, unknown>,
): Habit {
  return {
    answer: ({ status, body }, request) =>
      request.operation === operation && status < 300 ? { body: change(body as Record<string, unknown>) } : undefined,
  };
}
