import { createRoute } from "@hono/zod-openapi";
import { describeTooManyRequests, jsonResponse, unauthorized, unsupportedMediaType } from "./responses";
import { ErrorBody, ProjectExportRecord, ProjectExportStartBody, ProjectJobParams, ProjectParams } from "./schemas";

const tags = ["Static export"];

export const startProjectExportRoute = createRoute({
  operationId: "startExport",
  tags,
  method: "post",
  path: "/v1/static-export/{projectId}/jobs",
  summary: "Start a static export job",
  request: {
    params: ProjectParams,
    body: { required: false, content: { "application/json": { schema: ProjectExportStartBody } } },
  },
  responses: {
    202: jsonResponse("The job is queued.", ProjectExportRecord),
    400: jsonResponse("Invalid request.", ErrorBody),
    401: unauthorized,
    409: jsonResponse("A job of this deployment is queued or runs.", ErrorBody),
    415: unsupportedMediaType,
    429: jsonResponse(
      "Too many starts in the last hour, without a time; or too many requests, with `Retry-After`.",
      ErrorBody,
    ),
  },
});

export const getProjectExportRoute = createRoute({
  operationId: "getExport",
  tags,
  method: "get",
  path: "/v1/static-export/{projectId}/jobs/{jobId}",
  summary: "Get a static export job; a completed one has a fresh link",
  request: { params: ProjectJobParams },
  responses: {
    200: jsonResponse("The job.", ProjectExportRecord),
    401: unauthorized,
    404: jsonResponse("Job not found.", ErrorBody),
    429: describeTooManyRequests(),
  },
});

/** The value of a client's setting `routes` for the form `record`. */
export const projectExportRouteTemplates = {
  startExport: startProjectExportRoute.path,
  getExport: getProjectExportRoute.path,
  generateBundle: `GET ${getProjectExportRoute.path}`,
};
