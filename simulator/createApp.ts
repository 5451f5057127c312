import { OpenAPIHono } from "@hono/zod-openapi";
import { HTTPException } from "hono/http-exception";
import { faultMiddleware } from "./faults/faultMiddleware";
import { logMiddleware } from "./requests/logMiddleware";
import { serveAgents } from "./routes/agentHandlers";
import { requireKey } from "./routes/auth";
import { requireValidLink, serveDownloads } from "./routes/downloadRoute";
import { serveExports } from "./routes/exportHandlers";
import { limitRequests } from "./routes/limitRequests";
import { buildOpenApiDocument } from "./routes/openApiDocument";
import type { RouteContextTypes, RouteDependencies } from "./routes/platformEnv";
import { serveProjectExports } from "./routes/projectExportHandlers";
import { refuseCrossOriginRequests } from "./routes/refuseCrossOriginRequests";
import { bundlePathPrefix, createRouteTable, openApiPath } from "./routes/routeTable";

/**
 * A request passes these steps in order: log, origin, key or link, limit, faults, method, route. So a request without
 * the right key or link does not consume a fault.
 * @param baseUrl is called when a link is made. Before the server listens, the port is not known.
 */
export function createApp(parts: RouteDependencies, baseUrl: () => string): OpenAPIHono<RouteContextTypes> {
  const { settings, clock, faults, requests } = parts;
  const app = new OpenAPIHono<RouteContextTypes>({
    defaultHook: (result, c) =>
      result.success ? undefined : c.json({ error: result.error.issues[0]?.message ?? "Invalid request" }, 400),
  });
  const { operationOf, checkMethod } = createRouteTable(settings.form);
  app.use(logMiddleware(requests, settings, clock, operationOf));
  app.use(refuseCrossOriginRequests);
  const limit = limitRequests(settings, clock);
  for (const area of ["/v1/*", "/v2/*"]) {
    app.use(area, requireKey(settings), limit);
  }
  app.use(`${bundlePathPrefix}*`, requireValidLink(parts));
  app.use(faultMiddleware(faults, clock));
  app.use(checkMethod);
  (settings.form === "record" ? serveProjectExports : serveExports)(app, parts, baseUrl);
  serveAgents(app, parts);
  const document = buildOpenApiDocument(settings.form);
  app.get(openApiPath, (c) => c.json(document));
  serveDownloads(app, parts);
  app.notFound((c) => c.json({ error: `There is no ${c.req.path}` }, 404));
  app.onError((error, c) => {
    const status = error instanceof HTTPException ? error.status : 500;
    return c.json({ error: error.message }, status);
  });
  return app;
}
