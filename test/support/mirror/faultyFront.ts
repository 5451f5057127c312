import http from "node:http";
import { buffer } from "node:stream/consumers";
import { listen } from "../loopback";

/** Handles a request in the front. It may call `forward` to send the request to the real server. */
export type RequestFault = (
  response: http.ServerResponse,
  request: http.IncomingMessage,
  forward: () => Promise<http.IncomingMessage>,
) => unknown;

export interface FaultyFront {
  url: string;
  /** The different requests so far, each as its method and address. */
  seen: string[];
  /** The number of requests so far. A repeated request counts again. */
  count: number;
  /** This fault hits the request that has the index `at` in `seen`. `times` is the maximum number of hits. */
  fault: { at: number; meet: RequestFault; times: number } | undefined;
}

/** Starts a server in front of a real server. It forwards each request, except a request that a fault hits. */
export async function faultyFront(target: string): Promise<FaultyFront> {
  const server = http.createServer(async (request, response) => {
    const { method = "", url = "", headers } = request;
    // A repeated upload has a new number in its address, but both uploads must have the same name.
    const name = `${method} ${url.replace(/upload-\d+/, "upload")}`;
    if (!front.seen.includes(name)) {
      front.seen.push(name);
    }
    front.count += 1;
    const body = await buffer(request).catch(() => undefined);
    if (body === undefined) {
      return;
    }
    const forward = () =>
      new Promise<http.IncomingMessage>((resolve, reject) => {
        const forwarded = http.request(new URL(url, target), { method, headers, agent: false }, resolve);
        forwarded.on("error", reject).end(body);
      });
    const { fault } = front;
    if (fault !== undefined && fault.times > 0 && front.seen.indexOf(name) === fault.at) {
      fault.times -= 1;
      await fault.meet(response, request, forward);
      return;
    }
    const answered = await forward().catch(() => undefined);
    if (answered === undefined) {
      request.socket.destroy();
      return;
    }
    response.writeHead(answered.statusCode ?? 500, answered.headers);
    answered.pipe(response);
  });
  const front: FaultyFront = { url: "", seen: [], count: 0, fault: undefined };
  front.url = (await listen(server)).url;
  return front;
}
