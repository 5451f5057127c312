import type { MiddlewareHandler } from "hono";
import type { ResolvedPlatformOptions } from "../options";
import type { PlatformClock } from "../platformClock";
import { SlidingWindow } from "../slidingWindow";
import type { RouteContextTypes } from "./platformEnv";

/** All clients share this limit, because they use the same key. */
export function limitRequests(
  settings: ResolvedPlatformOptions,
  clock: PlatformClock,
): MiddlewareHandler<RouteContextTypes> {
  const window = new SlidingWindow(settings.requestsPerSecond, 1_000, () => clock.now());
  return async (c, next) => {
    const retryAfter = window.wait();
    if (retryAfter > 0) {
      return c.json({ error: "Rate limit exceeded: too many requests in the last second" }, 429, {
        "Retry-After": String(Math.ceil(retryAfter / 1_000)),
      });
    }
    window.count();
    return next();
  };
}
