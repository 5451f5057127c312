import http from "node:http";
import { buffer } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { listen } from "../loopback";

export interface StoreRequest {
  method: string;
  url: string;
  headers: http.IncomingHttpHeaders;
  body: Buffer;
  /** The origin of the server that the client addressed. */
  origin: string;
}

export interface StoreAnswer {
  status: number;
  headers: http.OutgoingHttpHeaders;
  body: Buffer | string;
}

/** An unusual behaviour of a server: its differences from the real server behind the front. */
export interface StoreHabit {
  /** Returns an answer, "drop" to break the connection, or undefined if the real server must answer. */
  request?(request: StoreRequest): StoreAnswer | "drop" | undefined;
  /** Returns the fields that replace the same fields of the real server's answer. */
  answer?(answer: StoreAnswer, request: StoreRequest): Partial<StoreAnswer>;
}

/** A server that forwards requests to a real server. A test can give it an unusual behaviour at any time. */
export interface StoreFront {
  url: string;
  habit: StoreHabit;
  count: number;
  /** The number of requests on which `habit` had an effect. */
  strange: number;
}

/** @param target returns the address of the real server. */
export async function storeFront(target: () => string): Promise<StoreFront> {
  const agent = new http.Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const front: StoreFront = { url: "", habit: {}, count: 0, strange: 0 };
  const forward = ({ method, url, headers, body }: StoreRequest) =>
    new Promise<StoreAnswer>((resolve, reject) => {
      const sent = http.request(new URL(url, target()), { method, headers, agent }, (answered) => {
        const { statusCode: status = 500, headers } = answered;
        buffer(answered).then((body) => resolve({ status, headers, body }), reject);
      });
      sent.on("error", reject).end(body);
    });
  const server = http.createServer(async (incoming, response) => {
    front.count += 1;
    const { method = "", url = "", headers } = incoming;
    const body = await buffer(incoming).catch(() => undefined);
    const request = { method, url, headers, body: body ?? Buffer.alloc(0), origin: front.url };
    const own = body && front.habit.request?.(request);
    const usual = own ?? (body && (await forward(request).catch(() => undefined)));
    if (usual === undefined || usual === "drop") {
      front.strange += own === "drop" ? 1 : 0;
      incoming.socket.destroy();
      return;
    }
    const change = own === undefined ? front.habit.answer?.(usual, request) : usual;
    front.strange += change === undefined || Object.keys(change).length === 0 ? 0 : 1;
    const answer = { ...usual, ...change };
    const { "content-length": length, "transfer-encoding": _, ...given } = answer.headers;
    const others = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    const bytes = Buffer.from(answer.body);
    const size = method === "HEAD" ? length : bytes.length;
    response.writeHead(answer.status, { ...others, ...(size !== undefined && { "content-length": size }) });
    response.end(method === "HEAD" ? "" : bytes);
  });
  front.url = (await listen(server)).url;
  return front;
}

/** Makes a behaviour: gives this answer to the first `times` requests for which `is` returns true. */
export function firstOf(is: (request: StoreRequest) => boolean, times: number, answer: () => StoreAnswer | "drop") {
  let count = 0;
  return (request: StoreRequest) => (is(request) && count++ < times ? answer() : undefined);
}
