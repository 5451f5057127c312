import { createRoute } from "@hono/zod-openapi";
import { describeTooManyRequests, jsonResponse, unauthorized, unsupportedMediaType } from "./responses";
import { BundleAnswer, ErrorBody, ExportStartBody, JobParams, StartedJob, StaticExportJob } from "./schemas";

const tags = ["Static export"];

const started = {
  ...jsonResponse("The job is queued.", StartedJob),
  links: {
    getExport: { operationId: "getExport", parameters: { jobId: "$response.body#/jobId" } },
    createBundle: { operationId: "createBundle", parameters: { jobId: "$response.body#/jobId" } },
  },
};

export const startExportRoute = createRoute({
  operationId: "startExport",
  tags,
  method: "post",
  path: "/v1/static-export/jobs",
  summary: "Start a static export job",
  request: { body: { required: true, content: { "application/json": { schema: ExportStartBody } } } },
  responses: {
    201: started,
    400: jsonResponse("Invalid request.", ErrorBody),
    401: unauthorized,
    409: jsonResponse("A job of this deployment is queued or runs.", ErrorBody),
    415: unsupportedMediaType,
    429: describeTooManyRequests(),
  },
});

export const getExportRoute = createRoute({
  operationId: "getExport",
  tags,
  method: "get",
  path: "/v1/static-export/jobs/{jobId}",
  summary: "Get static export job status",
  request: { params: JobParams },
  responses: {
    200: jsonResponse("The job.", StaticExportJob),
    401: unauthorized,
    404: jsonResponse("Job not found.", ErrorBody),
    429: describeTooManyRequests(),
  },
});

export const createBundleRoute = createRoute({
  operationId: "createBundle",
  tags,
  method: "post",
  path: "/v1/static-export/jobs/{jobId}/bundle",
  summary: "Generate export bundle",
  request: { params: JobParams },
  responses: {
    200: jsonResponse("A presigned link.", BundleAnswer),
    401: unauthorized,
    404: jsonResponse("Job not found.", ErrorBody),
    409: jsonResponse("The job is not completed.", ErrorBody),
    429: describeTooManyRequests(),
  },
});
