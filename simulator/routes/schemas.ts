import { z } from "@hono/zod-openapi";

// Matches upper and lower case without a flag, because a pattern in an OpenAPI document cannot have one.
const hostLabel = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";

const Domain = z
  .string({ error: "domain is required: the host name of a deployment" })
  .max(253, "domain is longer than a host name can be")
  .regex(new RegExp(`^${hostLabel}(?:\\.${hostLabel})*$`), "domain must be a bare host name, such as docs.example.com")
  .openapi({ description: "Domain of the deployment to export (a host name).", example: "docs.example.com" });

export const ErrorBody = z
  .object({
    error: z.string().openapi({ description: "Error message." }),
    jobId: z.string().optional().openapi({ description: "The job that stands in the way of a start (409)." }),
  })
  .openapi("Error");

export const ExportStartBody = z.object({ domain: Domain }).openapi("StartStaticExport");

/** Only `jobId` is in the API text. */
export const StartedJob = z
  .object({
    jobId: z.string(),
    status: z.string().optional(),
    domain: z.string().optional(),
    requestId: z.string().optional(),
  })
  .openapi("StartedStaticExport");

/** `domain`, `createdAt` and `requestId` are not in the API text. */
export const StaticExportJob = z
  .object({
    jobId: z.string(),
    status: z
      .enum(["queued", "running", "completed", "failed"])
      .openapi({ description: "`completed` and `failed` end a polling loop." }),
    progress: z.int().optional(),
    pageCount: z.int(),
    error: z.string().optional().openapi({ description: "Why the job failed." }),
    startedAt: z.iso.datetime().optional(),
    completedAt: z.iso.datetime().optional(),
    domain: z.string().optional(),
    createdAt: z.iso.datetime().optional(),
    requestId: z.string().optional(),
  })
  .openapi("StaticExportJob");

/** `sizeBytes`, `jobId` and `requestId` are not in the API text. */
export const BundleAnswer = z
  .object({
    bundleUrl: z.url(),
    expiresAt: z.iso.datetime(),
    sizeBytes: z.int().optional(),
    jobId: z.string().optional(),
    requestId: z.string().optional(),
  })
  .openapi("ExportBundle");

export const JobParams = z.object({ jobId: z.string() });

/** The body names no deployment, because the project in the path is the deployment. */
export const ProjectExportStartBody = z
  .object({
    basePath: z
      .enum(["", "/docs", "/documentation"], { error: 'basePath must be "", "/docs" or "/documentation"' })
      .optional()
      .openapi({ description: "Prefix of the addresses in the bundle. The pages here have relative ones." }),
  })
  .openapi("StartStaticExportOfProject");

/** Only the record of a completed job has the last three fields. Each answer contains a new link. */
export const ProjectExportRecord = z
  .object({
    jobId: z.string(),
    status: z.enum(["queued", "running", "completed", "failed"]),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime().openapi({ description: "The last change of the status." }),
    error: z.string().nullable(),
    bundleUrl: z.url().optional(),
    sizeBytes: z.int().optional(),
    expiresAt: z.iso.datetime().optional(),
  })
  .openapi("StaticExportRecord");

export const ProjectParams = z.object({ projectId: z.string() });
export const ProjectJobParams = z.object({ projectId: z.string(), jobId: z.string() });
