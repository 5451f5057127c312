import type { OpenAPIHono, z } from "@hono/zod-openapi";
import type { SimulatedExportJob } from "../jobs/job";
import { startLimitText } from "./exportHandlers";
import type { RouteContextTypes, RouteDependencies } from "./platformEnv";
import { getProjectExportRoute, startProjectExportRoute } from "./projectExportRoutes";
import type { ProjectExportRecord } from "./schemas";

/** In the form `record`, a project is a deployment, and its id is the `domain` of its jobs. */
export function serveProjectExports(
  app: OpenAPIHono<RouteContextTypes>,
  parts: RouteDependencies,
  baseUrl: () => string,
): void {
  const { jobs, settings } = parts;

  app.openapi(startProjectExportRoute, (c) => {
    const { projectId } = c.req.valid("param");
    if (settings.oneJobPerDomain && jobs.unfinishedOf(projectId) !== undefined) {
      return c.json({ error: "An export of this deployment is already queued or running" }, 409);
    }
    if (jobs.isLimitReached) {
      return c.json({ error: startLimitText }, 429);
    }
    return c.json(recordOf(jobs.start(projectId)), 202);
  });

  app.openapi(getProjectExportRoute, async (c) => {
    const { projectId, jobId } = c.req.valid("param");
    const job = jobs.find(jobId);
    if (job === undefined || job.domain !== projectId) {
      return c.json({ error: "Export job not found" }, 404);
    }
    const link = job.status === "completed" ? await freshLink(job, parts, baseUrl()) : {};
    return c.json({ ...recordOf(job), ...link }, 200);
  });
}

type Record = z.infer<typeof ProjectExportRecord>;

function recordOf({ jobId, status, createdAt, updatedAt, error }: SimulatedExportJob): Record {
  return { jobId, status, createdAt: isoTime(createdAt), updatedAt: isoTime(updatedAt), error: error ?? null };
}

function isoTime(time: number): string {
  return new Date(time).toISOString();
}

async function freshLink(
  { jobId, site }: SimulatedExportJob,
  { clock, settings, links }: RouteDependencies,
  baseUrl: string,
): Promise<Pick<Record, "bundleUrl" | "expiresAt" | "sizeBytes">> {
  const archive = await site.archive();
  const { url, expiresAt } = links.issue(baseUrl, `/bundles/${jobId}.tar.gz`, clock.now(), settings.linkLife);
  return { bundleUrl: url, expiresAt: isoTime(expiresAt), sizeBytes: archive.length };
}
