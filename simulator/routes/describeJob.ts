import { randomUUID } from "node:crypto";
import type { z } from "@hono/zod-openapi";
import { type Dialect, writeProgress } from "../dialect";
import type { Job } from "../jobs/job";
import type { StaticExportJob } from "./schemas";

/** A job as the API tells it, in words of a dialect. */
export function describeJob(job: Job, dialect: Dialect): z.infer<typeof StaticExportJob> {
  const pages = { completed: job.pagesRendered, total: job.site.pageCount };
  const progress = job.unfinished ? writeProgress(dialect.progress, job.progress, pages) : undefined;
  return {
    jobId: job.jobId,
    status: job.status === "running" ? dialect.runningStatus : job.status,
    ...(progress !== undefined && { progress }),
    ...(dialect.pageCount && { pageCount: job.pagesRendered }),
    ...(job.error !== undefined && { error: job.error }),
    ...(dialect.times && times(job)),
    ...(dialect.extraFields && {
      domain: job.domain,
      createdAt: new Date(job.createdAt).toISOString(),
      requestId: randomUUID(),
    }),
  };
}

function times({ startedAt, completedAt }: Job): { startedAt?: string; completedAt?: string } {
  return {
    ...(startedAt !== undefined && { startedAt: new Date(startedAt).toISOString() }),
    ...(completedAt !== undefined && { completedAt: new Date(completedAt).toISOString() }),
  };
}
