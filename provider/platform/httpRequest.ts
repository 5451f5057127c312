import { userAgent } from "../network/userAgent";
import type { Settings } from "../settings/settings";
import type { HttpRequest } from "./connection";
import type { Route } from "./routes";

export function httpRequestOf(
  settings: Settings,
  key: string,
  route: Route,
  path: string,
  body: unknown,
  idempotencyKey: string | undefined,
): HttpRequest {
  return {
    method: route.method,
    origin: settings.origin,
    path,
    headers: {
      ...Object.fromEntries(settings.headers),
      accept: "application/json",
      authorization: `Bearer ${key}`,
      "user-agent": userAgent(),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
}
