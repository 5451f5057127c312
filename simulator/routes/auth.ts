import { createHash, timingSafeEqual } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import type { ResolvedPlatformOptions } from "../options";
import type { RouteContextTypes } from "./platformEnv";

export function hasBearerKey(header: string | undefined, apiKey: string): boolean {
  const token = /^Bearer +(\S+) *$/i.exec(header ?? "")?.[1];
  // A comparison in constant time needs values of equal length, such as digests.
  return token !== undefined && timingSafeEqual(digest(token), digest(apiKey));
}

/** Refuses a request without the right key before anything else in the request is checked. */
export function requireKey(settings: ResolvedPlatformOptions): MiddlewareHandler<RouteContextTypes> {
  return async (c, next) => {
    const header = c.req.header("Authorization");
    if (hasBearerKey(header, settings.apiKey)) {
      return next();
    }
    const error = header === undefined ? "The admin API key is missing" : "The admin API key is invalid";
    return c.json({ error }, 401, { "WWW-Authenticate": "Bearer" });
  };
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
