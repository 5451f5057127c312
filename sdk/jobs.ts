import type { AgentJobSource } from "./agentMessage";

/** Which job {@link getStaticExport} looks up. */
export interface GetStaticExportArgs {
  /** Identifier of the job. */
  jobId: string;
}

/** StaticExportJob of the API text; what the platform does not tell is undefined. */
export interface GetStaticExportResult {
  /** Identifier of the job. */
  jobId: string;
  /** As the platform wrote it; `completed` and `failed` end a job. */
  status: string;
  /** How much is done, from 0 to 1. */
  progress: number | undefined;
  /** Number of pages. */
  pageCount: number | undefined;
  /** Domain of the deployment. */
  domain: string | undefined;
  /** Why the job failed, in the platform's words. */
  error: string | undefined;
  /** ISO 8601 in UTC. */
  startedAt: string | undefined;
  /** ISO 8601 in UTC. */
  completedAt: string | undefined;
}

/** Which job {@link getAgentJob} looks up. */
export interface GetAgentJobArgs {
  /** Identifier of the agent job. */
  jobId: string;
  /** Identifier of the project. Default: the setting `projectId`. */
  projectId?: string | undefined;
}

/** AgentJob of the API text; what is null there, or not told, is undefined. */
export interface GetAgentJobResult {
  /** Identifier of the job. */
  jobId: string;
  /** `active`, `completed`, `archived` or `failed`. */
  status: string;
  /** Source repository information. */
  source: AgentJobSource | undefined;
  /** The AI model used for the job. */
  model: string | undefined;
  /** URL of the agent's pull request. */
  prLink: string | undefined;
  /** ISO 8601 in UTC. */
  createdAt: string | undefined;
  /** ISO 8601 in UTC. */
  archivedAt: string | undefined;
}
