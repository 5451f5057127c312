import { once } from "node:events";
import { STATUS_CODES } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Context, MiddlewareHandler, Next } from "hono";
import type { PlatformClock } from "../platformClock";
import type { RouteContextTypes } from "../routes/platformEnv";
import type { Fault, StatusFault } from "./fault";
import type { FaultQueue } from "./faultQueue";
import { alreadySentResponse, resetConnection, sendHalfThenReset } from "./rawAnswer";

export function faultMiddleware(faults: FaultQueue, clock: PlatformClock): MiddlewareHandler<RouteContextTypes> {
  return async (c, next) => {
    const fault = faults.take(c.get("operation"));
    if (fault === undefined) {
      return next();
    }
    return apply(fault, c, next, clock);
  };
}

async function apply(
  fault: Fault,
  c: Context<RouteContextTypes>,
  next: Next,
  clock: PlatformClock,
): Promise<Response | undefined> {
  const { outgoing } = c.env;
  switch (fault.kind) {
    case "status":
      return statusAnswer(fault);
    case "body":
      return Response.json(fault.body, { status: fault.status ?? 200 });
    case "reset":
      return resetConnection(outgoing);
    case "hang":
      await once(outgoing, "close");
      return alreadySentResponse();
    case "delay":
      await sleep(fault.ms, undefined, { ref: false });
      await next();
      return undefined;
    case "lateAnswer":
      await next();
      await sleep(fault.ms, undefined, { ref: false });
      return undefined;
    case "lostAnswer":
      return replaceAnswer(c, next, async (answer) => {
        await answer.body?.cancel();
        return resetConnection(outgoing);
      });
    case "brokenBody":
      return replaceAnswer(c, next, cutBody);
    case "truncate":
      return replaceAnswer(c, next, (answer) => sendHalfThenReset(outgoing, answer, clock.httpDate()));
  }
}

function statusAnswer({ status, headers, body }: StatusFault): Response {
  if (status === 204 || status === 205 || status === 304) {
    return new Response(null, { status, headers: { ...headers } });
  }
  if (body === undefined) {
    return Response.json({ error: STATUS_CODES[status] ?? `Status ${status}` }, { status, headers: { ...headers } });
  }
  const contentType = body.trimStart().startsWith("<") ? "text/html; charset=utf-8" : "text/plain; charset=utf-8";
  return new Response(body, { status, headers: { "Content-Type": contentType, ...headers } });
}

async function cutBody(answer: Response): Promise<Response> {
  const text = await answer.text();
  return new Response(text.slice(0, Math.ceil(text.length / 2)), {
    status: answer.ok ? 200 : answer.status,
    headers: { "Content-Type": "application/json" },
  });
}

async function replaceAnswer(
  c: Context<RouteContextTypes>,
  next: Next,
  replace: (answer: Response) => Promise<Response>,
): Promise<undefined> {
  await next();
  const replacement = await replace(c.res);
  // Without this line, Hono would copy the old answer's headers to the new answer.
  c.res = undefined;
  c.res = replacement;
}
