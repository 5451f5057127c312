import type { MiddlewareHandler } from "hono";
import type { PlatformForm } from "../options";
import { type PlatformOperation, platformOperations } from "../requests/operation";
import { getAgentJobRoute, sendMessageRoute } from "./agentRoutes";
import { createBundleRoute, getExportRoute, startExportRoute } from "./exportRoutes";
import type { RouteContextTypes } from "./platformEnv";
import { getProjectExportRoute, startProjectExportRoute } from "./projectExportRoutes";

/** Links are not below the path of the API, because on a real platform another server serves the links. */
export const bundlePathPrefix = "/bundles/";

export const openApiPath = "/openapi.json";

const agentRoutes = [sendMessageRoute, getAgentJobRoute];

/**
 * Add the routes of new operations only here. The operations' names, the 405 answers and the OpenAPI document come from
 * this table.
 */
export const apiRoutes = {
  bundle: [startExportRoute, getExportRoute, createBundleRoute, ...agentRoutes],
  record: [startProjectExportRoute, getProjectExportRoute, ...agentRoutes],
} as const satisfies Record<PlatformForm, unknown>;

export interface RouteMatcher {
  operationOf(method: string, path: string): PlatformOperation;
  checkMethod: MiddlewareHandler<RouteContextTypes>;
}

export function createRouteTable(form: PlatformForm): RouteMatcher {
  const table = [...apiRoutes[form], { operationId: "other", method: "get", path: openApiPath }].map((route) => ({
    operation: platformOperations.find((operation) => operation === route.operationId) ?? "other",
    method: route.method.toUpperCase(),
    pattern: new RegExp(`^${route.path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`),
  }));
  return {
    operationOf(method, path) {
      if (path.startsWith(bundlePathPrefix)) {
        return "download";
      }
      return table.find((route) => route.method === method && route.pattern.test(path))?.operation ?? "other";
    },
    async checkMethod(c, next) {
      const allowed = table.filter((route) => route.pattern.test(c.req.path)).map((route) => route.method);
      if (allowed.length === 0 || allowed.includes(c.req.method)) {
        return next();
      }
      return c.json({ error: `Method ${c.req.method} is not allowed here` }, 405, { Allow: allowed.join(", ") });
    },
  };
}
