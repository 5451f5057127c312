import { randomUUID } from "node:crypto";
import type { OpenAPIHono, z } from "@hono/zod-openapi";
import type { SimulatedAgentJob } from "../agents/agentJob";
import type { Dialect } from "../dialect";
import { getAgentJobRoute, sendMessageRoute } from "./agentRoutes";
import type { AgentJobBody } from "./agentSchemas";
import type { PlatformEnv, PlatformParts } from "./environment";

/** Serves the two agent job operations. */
export function serveAgents(app: OpenAPIHono<PlatformEnv>, { agents, settings }: PlatformParts): void {
  app.openapi(sendMessageRoute, (c) => {
    const { projectId, id } = c.req.valid("param");
    const job = agents.find(projectId, id);
    if (job === undefined) {
      return c.json({ error: missing(agents.hasProject(projectId)) }, 404);
    }
    const retryAfter = agents.wait(projectId);
    if (retryAfter > 0) {
      return c.json({ error: "Rate limit exceeded: too many messages in the last hour" }, 429, {
        "Retry-After": String(Math.ceil(retryAfter / 1000)),
      });
    }
    agents.receive(job, c.req.valid("json").prompt);
    return c.json(describeAgentJob(job, settings.dialect), 200);
  });

  app.openapi(getAgentJobRoute, (c) => {
    const { projectId, id } = c.req.valid("param");
    const job = agents.find(projectId, id);
    if (job === undefined) {
      return c.json({ error: missing(agents.hasProject(projectId)) }, 404);
    }
    return c.json(describeAgentJob(job, settings.dialect), 200);
  });
}

function missing(hasProject: boolean): string {
  return hasProject ? "Job not found" : "Project not found";
}

/** An agent job as the API tells it. */
function describeAgentJob(job: SimulatedAgentJob, dialect: Dialect): z.infer<typeof AgentJobBody> {
  const { id, projectId, repository, ref } = job.origin;
  return {
    id,
    status: job.status,
    source: { repository, ref },
    model: "embedded-agent",
    prLink: job.prLink,
    createdAt: new Date(job.createdAt).toISOString(),
    archivedAt: job.archivedAt === undefined ? null : new Date(job.archivedAt).toISOString(),
    ...(dialect.extraFields && { projectId, requestId: randomUUID() }),
  };
}
