import { randomUUID } from "node:crypto";
import type { OpenAPIHono } from "@hono/zod-openapi";
import { writeExpiry } from "../dialect";
import { describeJob } from "./describeJob";
import type { PlatformEnv, PlatformParts } from "./environment";
import { createBundleRoute, getExportRoute, startExportRoute } from "./exportRoutes";

/** Serves the three static export operations. */
export function serveExports(app: OpenAPIHono<PlatformEnv>, parts: PlatformParts, baseUrl: () => string): void {
  serveStart(app, parts);
  const { jobs, settings, links, clock } = parts;

  app.openapi(getExportRoute, (c) => {
    const job = jobs.find(c.req.valid("param").jobId);
    if (job === undefined) {
      return c.json({ error: "Job not found" }, 404);
    }
    return c.json(describeJob(job, settings.dialect), 200);
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
    const expiresAt = writeExpiry(settings.dialect.expiresAt, link.expiresAt);
    const extra = settings.dialect.extraFields && { sizeBytes: archive.length, jobId, requestId: randomUUID() };
    return c.json({ bundleUrl: link.url, expiresAt, ...extra }, 200);
  });
}

function serveStart(app: OpenAPIHono<PlatformEnv>, { jobs, settings }: PlatformParts): void {
  app.openapi(startExportRoute, (c) => {
    const domain = c.req.valid("json").domain.toLowerCase();
    if (settings.domains && !settings.domains.has(domain)) {
      return c.json({ error: `There is no deployment with the domain ${domain}` }, 400);
    }
    const other = settings.oneJobPerDomain ? jobs.unfinishedOf(domain) : undefined;
    if (other !== undefined) {
      return c.json({ error: `Job ${other.jobId} of this domain is ${other.status}`, jobId: other.jobId }, 409);
    }
    const retryAfter = jobs.startLimit.wait();
    if (retryAfter > 0) {
      return c.json({ error: "Rate limit exceeded: too many starts in the last hour" }, 429, {
        "Retry-After": String(Math.ceil(retryAfter / 1000)),
      });
    }
    const job = jobs.start(domain);
    const extra = settings.dialect.extraFields && { status: job.status, domain, requestId: randomUUID() };
    return c.json({ jobId: job.jobId, ...extra }, settings.dialect.startStatus);
  });
}
