import type { AgentMessageState } from "../definitions/agentMessage";
import type { AgentJob } from "../platform/client";
import type { ErrorConsequences } from "../support/errors";
import { isoTime } from "../support/time/duration";

/**
 * Returns the state after the job was read. A value that is missing in the answer stays unchanged, but a missing
 * `prLink` or `archivedAt` is removed.
 */
export function observeAgentJob(state: AgentMessageState, job: AgentJob): AgentMessageState {
  const { prLink: _, archivedAt: __, ...kept } = state;
  const createdAt = isoTime(job.createdAt);
  const archivedAt = isoTime(job.archivedAt);
  return {
    ...kept,
    status: job.status,
    ...(job.source !== undefined && { source: job.source }),
    ...(job.model !== undefined && { model: job.model }),
    ...(job.prLink !== undefined && { prLink: job.prLink }),
    ...(createdAt !== undefined && { createdAt }),
    ...(archivedAt !== undefined && { archivedAt }),
  };
}

/** Returns the state without the marks of an unfinished wait, because nothing is left to wait for. */
export function withoutWaitMarks({ __unsettledSince, __begun, ...state }: AgentMessageState): AgentMessageState {
  return state;
}

/** Describes the outcome for the user if the answer to a message was lost, and nothing shows yet whether it arrived. */
export function unknownDeliveryOutcome({ jobId, projectId }: { jobId: string; projectId: string }): ErrorConsequences {
  return {
    exists: `perhaps the message: it may have reached agent job ${jobId} of project ${projectId}.`,
    nextRun: "checks the job, and sends nothing.",
    remedy: "check on the platform if the message arrived; if it did not, change triggers to send it again.",
  };
}
