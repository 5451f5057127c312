import type { MiddlewareHandler } from "hono";
import type { RouteContextTypes } from "./platformEnv";

/** The names of this machine. Any port is allowed, because a proxy in front of the platform has its own port. */
const ownHost = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;

/** Refuses requests from web pages in a browser: `Host` has a foreign name (DNS rebinding), or `Origin` is foreign. */
export const refuseCrossOriginRequests: MiddlewareHandler<RouteContextTypes> = async (c, next) => {
  const host = c.req.header("Host") ?? "";
  if (!ownHost.test(host)) {
    return c.json({ error: "This platform is served on loopback, by no other name" }, 421);
  }
  const origin = c.req.header("Origin");
  if (origin !== undefined && origin !== `http://${host}`) {
    return c.json({ error: "A page of another origin has no access to this platform" }, 403);
  }
  return next();
};
