import type { AgentJob, CallOptions, ExportJob, PlatformClient } from "./platform/client";
import { connect } from "./platform/connect";
import { asDocsPlatformError, ConfigurationError } from "./support/errors";
import { identifierProblem } from "./support/identifier";
import { requireSettings, type Settings, type StackConfig } from "./support/settings";
import { projectIdAdvice } from "./support/settingTable";

/*
 * What the `get*` functions of the sdk load, inside their call: the one way on which a program itself asks the platform,
 * by one request each.
 */

export type { AgentJob, ExportJob } from "./platform/client";

export function lookUpExport(jobId: string, config: StackConfig): Promise<ExportJob> {
  return ask(config, (client, options) => {
    requireIdentifier("jobId", jobId);
    return client.getExport(jobId, options);
  });
}

export function lookUpAgentJob(jobId: string, projectId: string | undefined, config: StackConfig): Promise<AgentJob> {
  return ask(config, (client, options, settings) => {
    const project = projectId ?? settings.projectId;
    if (project === undefined) {
      throw new ConfigurationError([`projectId is missing: give it in the call, or ${projectIdAdvice}`]);
    }
    requireIdentifier("jobId", jobId);
    requireIdentifier("projectId", project);
    return client.getAgentJob({ projectId: project, id: jobId }, options);
  });
}

async function ask<T>(
  config: StackConfig,
  call: (client: PlatformClient, options: CallOptions, settings: Settings) => Promise<T>,
): Promise<T> {
  try {
    const settings = requireSettings(config, process.env);
    return await call(await connect(settings), { signal: new AbortController().signal }, settings);
  } catch (error) {
    throw withoutStack(error);
  }
}

function requireIdentifier(name: string, id: string): void {
  const problem = identifierProblem(id);
  if (problem !== undefined) {
    throw new ConfigurationError([`${name} ${problem}`]);
  }
}

/** An error that a program lets fall is printed with its stack, which says nothing to its user. */
function withoutStack(error: unknown): Error {
  const { message } = asDocsPlatformError(error);
  return Object.assign(new Error(message), { stack: message });
}
