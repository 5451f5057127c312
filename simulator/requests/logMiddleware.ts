import { randomUUID } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import { isAlreadySent } from "../faults/rawAnswer";
import type { ResolvedPlatformOptions } from "../options";
import type { PlatformClock } from "../platformClock";
import { hasBearerKey } from "../routes/auth";
import type { RouteContextTypes } from "../routes/platformEnv";
import type { PlatformOperation } from "./operation";
import type { RequestLog } from "./requestLog";

/** Records each request, and gives each answer an id and a date by the platform's clock. */
export function logMiddleware(
  log: RequestLog,
  settings: ResolvedPlatformOptions,
  clock: PlatformClock,
  operationOf: (method: string, path: string) => PlatformOperation,
): MiddlewareHandler<RouteContextTypes> {
  return async (c, next) => {
    const { method, path } = c.req;
    const { outgoing } = c.env;
    const operation = operationOf(method, path);
    const authorized = hasBearerKey(c.req.header("Authorization"), settings.apiKey);
    const begun = performance.now();
    const record = log.add({ operation, method, path, at: Date.now(), authorized });
    outgoing.once("close", () => {
      if (!outgoing.writableFinished) {
        record.status = 0;
      }
      const took = Math.round(performance.now() - begun);
      const line = `${method} ${path} ${record.status === 0 ? "broken" : record.status} ${took} ms`;
      settings.log(oneLine(line.replaceAll(settings.apiKey, "***")));
      log.events.emit("request", record);
    });
    c.set("operation", operation);
    await next();
    if (isAlreadySent(c.res) || outgoing.closed) {
      return;
    }
    record.status = c.res.status;
    c.res.headers.set("Date", clock.httpDate());
    c.res.headers.set("X-Request-Id", randomUUID());
  };
}

/** A decoded path may contain line ends and other control characters. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, encodeURIComponent);
}
