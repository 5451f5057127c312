import { createRoute, z } from "@hono/zod-openapi";
import { describeTooManyRequests, jsonResponse, unauthorized, unsupportedMediaType } from "./responses";
import { ErrorBody } from "./schemas";

const tags = ["Agent jobs"];

const AgentJobParams = z.object({
  projectId: z.string().openapi({ description: "Project identifier.", example: "docs" }),
  id: z.string().openapi({ description: "Identifier of the agent job.", example: "agent-job-1" }),
});

const FollowUpMessage = z
  .object({
    prompt: z
      .string({ error: "prompt is required: the follow-up instruction for the agent" })
      .min(1, "prompt must have at least 1 character")
      .openapi({ description: "The follow-up instruction for the agent.", example: "Also update the changelog." }),
  })
  .openapi("FollowUpMessage");

/** `projectId` and `requestId` are not in the API text. */
export const AgentJobResponse = z
  .object({
    id: z.string().openapi({ description: "Unique identifier of the agent job." }),
    status: z.enum(["active", "completed", "archived", "failed"]).openapi({
      description: "Current state of the job; all but `active` end a polling loop.",
    }),
    source: z.object({
      repository: z.string().openapi({ description: "Full URL of the source code repository." }),
      ref: z.string().nullable().openapi({ description: "Git branch the agent works on." }),
    }),
    model: z.string().openapi({ description: "The AI model used for the job." }),
    prLink: z.url().nullable().openapi({
      description: "URL of the pull request; null while the job is `active`, and when no file was changed.",
    }),
    createdAt: z.iso.datetime(),
    archivedAt: z.iso.datetime().nullable(),
    projectId: z.string().optional(),
    requestId: z.string().optional(),
  })
  .openapi("AgentJob");

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
      ...jsonResponse("Message accepted (processed asynchronously).", AgentJobResponse),
      links: {
        getAgentJob: {
          operationId: "getAgentJob",
          parameters: { projectId: "$request.path.projectId", id: "$response.body#/id" },
        },
      },
    },
    400: jsonResponse("Invalid request.", ErrorBody),
    401: unauthorized,
    404: jsonResponse("Job not found.", ErrorBody),
    415: unsupportedMediaType,
    429: describeTooManyRequests("Rate limit exceeded."),
  },
});

/** The API text does not show the method and the path, so they are assumptions. */
export const getAgentJobRoute = createRoute({
  operationId: "getAgentJob",
  tags,
  method: "get",
  path: "/v2/agent/{projectId}/job/{id}",
  summary: "Get an agent job",
  request: { params: AgentJobParams },
  responses: {
    200: jsonResponse("The job.", AgentJobResponse),
    401: unauthorized,
    404: jsonResponse("Job not found.", ErrorBody),
    429: describeTooManyRequests(),
  },
});
