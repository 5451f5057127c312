import { OpenAPIHono } from "@hono/zod-openapi";
import type { PlatformForm } from "../options";
import { apiRoutes } from "./routeTable";

const scheme = "adminApiKey";

type OpenApiDocument = ReturnType<OpenAPIHono["getOpenAPI31Document"]>;

/** The document is made from the routes and schemas that check the requests and answers. */
export function buildOpenApiDocument(form: PlatformForm = "bundle"): OpenApiDocument {
  const app = new OpenAPIHono();
  for (const route of apiRoutes[form]) {
    app.openAPIRegistry.registerPath(route);
  }
  app.openAPIRegistry.registerComponent("securitySchemes", scheme, {
    type: "http",
    scheme: "bearer",
    description: "An admin API key. Without it, or with a wrong one, every operation answers 401.",
  });
  return app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Admin API of a documentation hosting platform, as the embedded platform serves it",
      version: "2.0.0",
      description:
        "Agent follow-up messages and static export. A method that a path has not is answered 405 with Allow.",
    },
    servers: [{ url: "/", description: "Where this document was found." }],
    security: [{ [scheme]: [] }],
  });
}
