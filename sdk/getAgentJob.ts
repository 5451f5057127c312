import * as pulumi from "@pulumi/pulumi";
import type { AgentJobSource } from "./agentMessage";
import { unknownArgsWithoutApiKey, warnOfUnsafeKeySettings } from "./settingWarnings";
import { stackConfig } from "./stackConfig";

/** The arguments of {@link getAgentJob}. */
export interface GetAgentJobArgs {
  /** Identifier of the agent job. */
  jobId: string;
  /** Identifier of the project. Default: the setting `projectId`. */
  projectId?: string | undefined;
}

/** The schema `AgentJob` of the API text. A field that is null or missing in the answer is undefined. */
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
  /** When the job was created, ISO 8601 in UTC. */
  createdAt: string | undefined;
  /** When the job was archived, ISO 8601 in UTC. */
  archivedAt: string | undefined;
}

/**
 * Looks up an agent job ("Get an agent job" in the API text) by one request, also in a preview. The API text does not
 * show the path: the setting `routes` can change it. Rejects with the same error codes as the resources. Without a key,
 * it fails in a preview, too.
 */
export async function getAgentJob({ jobId, projectId }: GetAgentJobArgs): Promise<GetAgentJobResult> {
  warnOfUnsafeKeySettings();
  const { lookUpAgentJob }: typeof import("../provider/lookUps") = require("../provider/lookUps");
  return lookUpAgentJob({ jobId, projectId }, stackConfig, pulumi.log.debug);
}

/** {@link getAgentJob} for ids that are outputs. In a preview without a key, the result is unknown. */
export function getAgentJobOutput(
  args: {
    [K in keyof GetAgentJobArgs]: pulumi.Input<GetAgentJobArgs[K]>;
  },
): pulumi.Output<GetAgentJobResult> {
  return pulumi.output(unknownArgsWithoutApiKey(args)).apply(getAgentJob);
}
