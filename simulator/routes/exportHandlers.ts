import { randomUUID } from "node:crypto";
import type { OpenAPIHono, z } from "@hono/zod-openapi";
import type { SimulatedExportJob } from "../jobs/job";
import type { ResolvedPlatformOptions } from "../options";
import { createBundleRoute, getExportRoute, startExportRoute } from "./exportRoutes";
import type { RouteContextTypes, RouteDependencies } from "./platformEnv";
import type { StaticExportJob } from "./schemas";

export function serveExports(
  app: OpenAPIHono<RouteContextTypes>,
  parts: RouteDependencies,
  baseUrl: () => string,
): void {
  serveStart(app, parts);
  const { jobs, settings, links, clock } = parts;

  app.openapi(getExportRoute, (c) => {
    const job = jobs.find(c.req.valid("param").jobId);
    if (job === undefined) {
      return c.json({ error: "Job not found" }, 404);
    }
    return c.json(describeJob(job, settings), 200);
  });

  app.openapi(createBundleRoute, async (c) => {
    const { jobId } = c.req.valid("param");
    const job = jobs.find(jobId);
    if (job === undefined) {
      return c.json({ error: "Job not found" }, 404);
    }
    if (job.status !== "completed") {
      return c.json({ error: `The job is ${job.status}, not completed` }, 409);
    }
    const archive = await job.site.archive();
    const link = links.issue(baseUrl(), `/bundles/${jobId}.tar.gz`, clock.now(), settings.linkLife);
    const expiresAt = new Date(link.expiresAt).toISOString();
    const extra = settings.extraFields && { sizeBytes: archive.length, jobId, requestId: randomUUID() };
    return c.json({ bundleUrl: link.url, expiresAt, ...extra }, 200);
  });
}

export const startLimitText = "Too many exports were started in the last hour";

function serveStart(app: OpenAPIHono<RouteContextTypes>, { jobs, settings }: RouteDependencies): void {
  app.openapi(startExportRoute, (c) => {
    const domain = c.req.valid("json").domain.toLowerCase();
    if (settings.domains && !settings.domains.has(domain)) {
      return c.json({ error: `There is no deployment with the domain ${domain}` }, 400);
    }
    const other = settings.oneJobPerDomain ? jobs.unfinishedOf(domain) : undefined;
    if (other !== undefined) {
      return c.json({ error: `Job ${other.jobId} of this domain is ${other.status}`, jobId: other.jobId }, 409);
    }
    if (jobs.isLimitReached) {
      return c.json({ error: startLimitText }, 429);
    }
    const job = jobs.start(domain);
    const extra = settings.extraFields && { status: job.status, domain, requestId: randomUUID() };
    return c.json({ jobId: job.jobId, ...extra }, 201);
  });
}

/** A job that has ended has no progress. */
function describeJob(
  job: SimulatedExportJob,
  { times, extraFields }: Pick<ResolvedPlatformOptions, "times" | "extraFields">,
): z.infer<typeof StaticExportJob> {
  const { jobId, status, domain, error, startedAt, completedAt } = job;
  return {
    jobId,
    status,
    ...(job.unfinished && { progress: Math.floor(job.progress * 100) }),
    pageCount: job.pagesRendered,
    ...(error !== undefined && { error }),
    ...(times && startedAt !== undefined && { startedAt: new Date(startedAt).toISOString() }),
    ...(times && completedAt !== undefined && { completedAt: new Date(completedAt).toISOString() }),
    ...(extraFields && { domain, createdAt: new Date(job.createdAt).toISOString(), requestId: randomUUID() }),
  };
}
