import { createRoute } from "@hono/zod-openapi";
import { AgentJobBody, AgentJobParams, FollowUpMessage } from "./agentSchemas";
import { json, limited, unauthorized, unsupportedMediaType } from "./responses";
import { ErrorBody } from "./schemas";

const tags = ["Agent jobs"];

/** Send a follow-up message to an agent job. */
export const sendMessageRoute = createRoute({
  operationId: "sendMessage",
  tags,
  method: "post",
  path: "/v2/agent/{projectId}/job/{id}/message",
  summary: "Send a follow-up message to an agent job",
  request: {
    params: AgentJobParams,
    body: { required: true, content: { "application/json": { schema: FollowUpMessage } } },
  },
  responses: {
    200: {
      ...json("Message accepted (processed asynchronously).", AgentJobBody),
      links: {
        getAgentJob: {
          operationId: "getAgentJob",
          parameters: { projectId: "$request.path.projectId", id: "$response.body#/id" },
        },
      },
    },
    400: json("Invalid request.", ErrorBody),
    401: unauthorized,
    404: json("Job not found.", ErrorBody),
    415: unsupportedMediaType,
    429: limited("Rate limit exceeded."),
  },
});

/** Get an agent job. Its method and path are assumed: the API text does not show them. */
export const getAgentJobRoute = createRoute({
  operationId: "getAgentJob",
  tags,
  method: "get",
  path: "/v2/agent/{projectId}/job/{id}",
  summary: "Get an agent job",
  request: { params: AgentJobParams },
  responses: {
    200: json("The job.", AgentJobBody),
    401: unauthorized,
    404: json("Job not found.", ErrorBody),
    429: limited(),
  },
});
