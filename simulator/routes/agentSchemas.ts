import { z } from "@hono/zod-openapi";

/** The path parameters of the operations on one agent job. */
export const AgentJobParams = z.object({
  projectId: z.string().openapi({ description: "Project identifier.", example: "docs" }),
  id: z.string().openapi({ description: "Identifier of the agent job.", example: "agent-job-1" }),
});

/** Body of a follow-up message. */
export const FollowUpMessage = z
  .object({
    prompt: z
      .string({ error: "prompt is required: the follow-up instruction for the agent" })
      .min(1, "prompt must have at least 1 character")
      .openapi({ description: "The follow-up instruction for the agent.", example: "Also update the changelog." }),
  })
  .openapi("FollowUpMessage");

/** An agent job; `projectId` and `requestId` are extra fields. */
export const AgentJobBody = z
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
