import { randomUUID } from "node:crypto";
import type { OpenAPIHono, z } from "@hono/zod-openapi";
import { type SimulatedAgentJob, sampleRepositoryUrl } from "../agents/agentJob";
import { type AgentJobResponse, getAgentJobRoute, sendMessageRoute } from "./agentRoutes";
import type { RouteContextTypes, RouteDependencies } from "./platformEnv";

export function serveAgents(app: OpenAPIHono<RouteContextTypes>, { agents, settings }: RouteDependencies): void {
  app.openapi(sendMessageRoute, (c) => {
    const { projectId, id } = c.req.valid("param");
    const job = agents.find(projectId, id);
    if (job === undefined) {
      return c.json({ error: "Job not found" }, 404);
    }
    const retryAfter = agents.wait(projectId);
    if (retryAfter > 0) {
      return c.json({ error: "Rate limit exceeded: too many messages in the last hour" }, 429, {
        "Retry-After": String(Math.ceil(retryAfter / 1000)),
      });
    }
    agents.receive(job, c.req.valid("json").prompt);
    return c.json(describeAgentJob(job, settings.extraFields), 200);
  });

  app.openapi(getAgentJobRoute, (c) => {
    const { projectId, id } = c.req.valid("param");
    const job = agents.find(projectId, id);
    if (job === undefined) {
      return c.json({ error: "Job not found" }, 404);
    }
    return c.json(describeAgentJob(job, settings.extraFields), 200);
  });
}

function describeAgentJob(job: SimulatedAgentJob, extraFields: boolean): z.infer<typeof AgentJobResponse> {
  const { id, projectId, ref } = job.origin;
  return {
    id,
    status: job.status,
    source: { repository: sampleRepositoryUrl, ref },
    model: "embedded-agent",
    prLink: job.prLink,
    createdAt: new Date(job.createdAt).toISOString(),
    archivedAt: job.archivedAt === undefined ? null : new Date(job.archivedAt).toISOString(),
    ...(extraFields && { projectId, requestId: randomUUID() }),
  };
}
