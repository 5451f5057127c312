import type { AgentMessageState } from "../definitions/agentMessage";
import type { AgentJob } from "../platform/client";
import type { Outcome } from "../support/errors";
import { isoTime } from "../support/time/duration";

/**
 * Returns the state after one more look at the job. A value that is missing in the answer stays unchanged, except
 * `prLink` and `archivedAt`.
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

/** A message whose work has not ended well. The next run continues a wait that has begun, and sends nothing again. */
export interface Unsettled {
  /** The time at which the message was sent, by this machine's clock; ISO 8601 in UTC. */
  since: string;
  /** True if the agent was seen at work on the message. After that, an end of the job is the end of this work. */
  begun: boolean;
}

export function unsettledOf({ __unsettledSince, __begun }: AgentMessageState): Unsettled | undefined {
  return __unsettledSince === undefined ? undefined : { since: __unsettledSince, begun: __begun === true };
}

export function withUnsettled(state: AgentMessageState, { since, begun }: Unsettled): AgentMessageState {
  return { ...state, __unsettledSince: since, ...(begun && { __begun: true }) };
}

/** Returns the state without a pending wait, since there is nothing left to wait for. */
export function withoutPendingWait({ __unsettledSince, __begun, ...state }: AgentMessageState): AgentMessageState {
  return state;
}

export function isEnded({ status }: AgentMessageState): boolean {
  return ["completed", "archived", "failed"].includes(status?.toLowerCase() ?? "");
}

/** Describes the outcome of a message whose answer was lost and whose job was not looked at since then. */
export function unknownDeliveryOutcome({ jobId, projectId }: { jobId: string; projectId: string }): Outcome {
  return {
    exists: `perhaps the message: it may have reached agent job ${jobId} of project ${projectId}.`,
    nextRun: "checks the job, and sends nothing.",
    remedy: "check on the platform if the message arrived; if it did not, change triggers to send it again.",
  };
}
