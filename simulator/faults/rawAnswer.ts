import type { ServerResponse } from "node:http";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";

/** The pause before a reset, in milliseconds. A reset may discard bytes that the client has not read yet. */
const readingTime = 25;

/**
 * Returns a response that makes the server send nothing, because a fault already uses the socket. Each call returns a
 * new object, because the middleware adds headers to the response.
 */
export function alreadySentResponse(): Response {
  return new Response(null, RESPONSE_ALREADY_SENT);
}

export function isAlreadySent(response: Response): boolean {
  return [...RESPONSE_ALREADY_SENT.headers].every(([name, value]) => response.headers.get(name) === value);
}

/** A reset (RST): the client sees ECONNRESET, and not a normal end. */
export function resetConnection(outgoing: ServerResponse): Response {
  outgoing.socket?.resetAndDestroy();
  return alreadySentResponse();
}

/** Announces the full length of an answer, sends half of it, and resets the connection. */
export async function sendHalfThenReset(outgoing: ServerResponse, answer: Response, date: string): Promise<Response> {
  const body = Buffer.from(await answer.arrayBuffer());
  const headers = { ...Object.fromEntries(answer.headers), date, "content-length": String(body.length) };
  outgoing.writeHead(answer.status, headers);
  outgoing.write(body.subarray(0, Math.floor(body.length / 2)), () => {
    setTimeout(() => resetConnection(outgoing), readingTime).unref();
  });
  return alreadySentResponse();
}
