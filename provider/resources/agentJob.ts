import type { AgentMessageState } from "../definitions/agentMessage";
import type { AgentJob } from "../platform/client";
import type { Outcome } from "../support/errors";
import { isoTime } from "../support/time/duration";

/** The state after one more look. What an answer does not tell stays as it was; only the pull request may go. */
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

/** A message whose work has not come to a good end: a wait that was begun goes on in the next run, and nothing is sent again. */
export interface Unsettled {
  /** When it was sent, by this machine's clock; ISO 8601 in UTC. */
  since: string;
  /** Whether the agent was seen at work on it: from then on an end is the end of it. */
  begun: boolean;
}

export function unsettledOf({ __unsettledSince, __begun }: AgentMessageState): Unsettled | undefined {
  return __unsettledSince === undefined ? undefined : { since: __unsettledSince, begun: __begun === true };
}

export function withUnsettled(state: AgentMessageState, { since, begun }: Unsettled): AgentMessageState {
  return { ...state, __unsettledSince: since, ...(begun && { __begun: true }) };
}

/** The work on the message has come to a good end: nothing is left to wait for. */
export function withoutPendingWait({ __unsettledSince, __begun, ...state }: AgentMessageState): AgentMessageState {
  return state;
}

export function isEnded({ status }: AgentMessageState): boolean {
  return ["completed", "archived", "failed"].includes(status?.toLowerCase() ?? "");
}

/** What a message leaves behind whose answer was lost, until a look has told how its job stands. */
export function unknownDeliveryOutcome({ jobId, projectId }: { jobId: string; projectId: string }): Outcome {
  return {
    exists: `perhaps the message: it may have reached agent job ${jobId} of project ${projectId}.`,
    nextRun: "checks the job, and sends nothing.",
    remedy: "check on the platform if the message arrived; if it did not, change triggers to send it again.",
  };
}
