import { createHash, timingSafeEqual } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import type { ResolvedOptions } from "../options";
import type { PlatformEnv } from "./environment";

/** True if the `Authorization` header is the bearer scheme with this key. */
export function hasBearerKey(header: string | undefined, apiKey: string): boolean {
  const token = /^Bearer +(\S+) *$/i.exec(header ?? "")?.[1];
  // Compares digests, because the comparison in constant time needs equal lengths.
  return token !== undefined && timingSafeEqual(digest(token), digest(apiKey));
}

/** Answers 401 to a request without the right key, before it looks at anything else in the request. */
export function requireKey(settings: ResolvedOptions): MiddlewareHandler<PlatformEnv> {
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
