import type { AgentMessageState } from "../definitions/agentMessage";
import { classifyJobEnd } from "../platform/classifyJobEnd";
import type { AgentJob } from "../platform/client";
import { finishedWaitText } from "../polling/pollHistory";
import { type AnswerVerdict, pollJob, type WaitLimit } from "../polling/pollJob";
import { describeSettingPlaces, routes } from "../settings/settingTable";
import { DocsPlatformError, type ErrorConsequenceTexts, isNotFound, JobFailedError } from "../support/errors";
import { stalePlatformAnswerRetries } from "../support/time/delays";
import { formatIsoTime } from "../support/time/duration";
import type { OperationContext, WriteOutcome } from "./lifecycle";
import { describeJobFailure, statusNotSeenYet, timeSince } from "./wait";

/** Even a failed job has received the message, so a later run only checks the job, and sends nothing. */
export async function followAgentJob(
  id: string,
  initial: AgentMessageState,
  limit: WaitLimit,
  context: OperationContext,
): Promise<WriteOutcome<AgentMessageState>> {
  const { jobId, projectId } = initial;
  const { clock } = context;
  const age = timeSince(initial.__unsettledSince, clock) ?? 0;
  const client = await context.connect();
  const describe = ({ status = statusNotSeenYet }: AgentMessageState) => [status, `agent job ${jobId}`] as const;
  const { state, seen, problem } = await pollJob(
    {
      name: nameOf(initial),
      initial: noteBegin(initial),
      ask: (options) => client.getAgentJob({ projectId, id: jobId }, options),
      judge: judgeAgentJob,
      // Until the platform has reported a status, the message may not have arrived. So the first error ends the wait.
      isConfirmed: initial.status !== undefined,
      age,
      describe,
    },
    limit,
    context,
  );
  if (problem === undefined) {
    context.lastStatus(finishedWaitText(describe(state), clock.monotonic() - seen.waitingSince + age));
    return { id, state: withoutWaitMarks(state) };
  }
  const isOver = problem instanceof JobFailedError;
  // "Not found" may mean that the path is wrong, because the API text does not show the path of get-job.
  const pathAdvice = isNotFound(problem) && {
    remedy: `check on the platform if the job exists; if it does, the get-job operation has another path: set that path as getAgentJob in ${describeSettingPlaces(routes)}.`,
  };
  return {
    id,
    state,
    problem: problem.withOutcome({ ...consequences(state, isOver), ...pathAdvice }),
    goesOn: !isOver,
  };
}

/** @param age the time since the message was sent, in milliseconds. */
export function judgeAgentJob(
  before: AgentMessageState,
  job: AgentJob | DocsPlatformError,
  age = 0,
): AnswerVerdict<AgentMessageState> {
  if (job instanceof DocsPlatformError) {
    return { is: "failed", state: before, problem: job };
  }
  const state = noteBegin(mergeAgentJobIntoState(before, job));
  // A message wakes an ended job, but the platform may show the job's old status for a moment.
  if (!state.__begun && age < stalePlatformAnswerRetries.agentJob.time) {
    return { is: "goingOn", state, within: stalePlatformAnswerRetries.agentJob.pause };
  }
  const end = classifyJobEnd(job.status);
  if (end === "failed") {
    const remedy = "fix the error that the platform reports; change prompt or triggers to send another message.";
    return { is: "failed", state, problem: new JobFailedError({ ...describeJobFailure(nameOf(state), job), remedy }) };
  }
  return { is: end === undefined ? "goingOn" : "done", state };
}

function nameOf({ jobId, projectId }: AgentMessageState): string {
  return `agent job ${jobId} of project ${projectId}`;
}

function noteBegin(state: AgentMessageState): AgentMessageState {
  return state.status?.toLowerCase() === "active" ? { ...state, __begun: true } : state;
}

function consequences(state: AgentMessageState, isOver: boolean): ErrorConsequenceTexts {
  if (state.status === undefined) {
    return describeLostMessageAnswer(state);
  }
  const end = isOver ? "failed" : `last seen "${state.status}". The state keeps both`;
  return {
    exists: `the message, which was sent, and agent job ${state.jobId}, ${end}.`,
    nextRun: "checks the job again, and sends nothing.",
  };
}

/** A value that is missing in the answer stays unchanged, but a missing `prLink` or `archivedAt` is removed. */
export function mergeAgentJobIntoState(state: AgentMessageState, job: AgentJob): AgentMessageState {
  const { prLink: _, archivedAt: __, ...kept } = state;
  const createdAt = formatIsoTime(job.createdAt);
  const archivedAt = formatIsoTime(job.archivedAt);
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

/** For a message whose answer was lost: it is unknown whether the message arrived. */
export function describeLostMessageAnswer({
  jobId,
  projectId,
}: {
  jobId: string;
  projectId: string;
}): ErrorConsequenceTexts {
  return {
    exists: `perhaps the message: it may have reached agent job ${jobId} of project ${projectId}.`,
    nextRun: "checks the job, and sends nothing.",
    remedy: "check on the platform if the message arrived; if it did not, change triggers to send it again.",
  };
}
