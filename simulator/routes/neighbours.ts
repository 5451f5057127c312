import type { MiddlewareHandler } from "hono";
import type { PlatformEnv } from "./environment";

/**
 * The names and addresses by which a client of this machine reaches the platform, with any port. A proxy before it has
 * its own port.
 */
const ownHost = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;

/**
 * Refuses requests that a web page on this machine could send: by the page's own name that leads here (DNS rebinding),
 * or as a request to another origin.
 */
export const refuseForeignPages: MiddlewareHandler<PlatformEnv> = async (c, next) => {
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
