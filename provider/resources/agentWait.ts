import type { AgentMessageState } from "../definitions/agentMessage";
import { jobEnd } from "../platform/jobEnd";
import { placesOf, routes } from "../settings/settingTable";
import { type Aftermath, asDocsPlatformError, isNotFound, JobFailedError } from "../support/errors";
import { Deadline } from "../support/time/deadline";
import { settling } from "../support/time/delays";
import { observeAgentJob, settled, unknownDeliveryOutcome } from "./agentJob";
import type { Context, Outcome } from "./lifecycle";
import { endText, failureOf, timeSince, unseen, type WaitLimit, waitForJob } from "./wait";

/**
 * Follows the job until it has ended ("Clients poll until" `completed`, `archived` or `failed`, in the API text), or the
 * wait ends early. A message was sent, even if its job fails: a later run only checks the job again.
 */
export async function followAgentJob(
  id: string,
  initial: AgentMessageState,
  limit: WaitLimit,
  context: Context,
): Promise<Outcome<AgentMessageState>> {
  let state = initial;
  const { jobId, projectId } = state;
  const name = `agent job ${jobId} of project ${projectId}`;
  const { clock } = context;
  const age = timeSince(state.__unsettledSince, clock) ?? 0;
  const began = clock.monotonic() - age;
  // A job that had ended before the message came may be shown as ended for a moment longer.
  const settles = Deadline.in(settling.agentJob.time - age, clock);
  const noteBegin = () => {
    state = state.status?.toLowerCase() === "active" ? { ...state, __begun: true } : state;
  };
  noteBegin();
  const client = await context.connect();
  const about = () => [`agent job ${jobId}`];
  try {
    await waitForJob(
      {
        ask: (options) => client.getAgentJob({ projectId, id: jobId }, options),
        see(job) {
          state = observeAgentJob(state, job);
          noteBegin();
          const end = jobEnd(job.status);
          const shownTooEarly = !state.__begun && !settles.hasPassed;
          if (end === undefined || shownTooEarly) {
            return {
              done: false,
              pollWithin: shownTooEarly ? settling.agentJob.rest : undefined,
              retryAfter: job.retryAfter,
            };
          }
          if (end === "failed") {
            throw new JobFailedError({
              ...failureOf(name, job),
              remedy: "fix the error that the platform reports; change prompt or triggers to send another message.",
            });
          }
          return { done: true, value: true };
        },
        // If it is doubtful whether the message arrived, the error should come soon.
        isConfirmed: () => state.status !== undefined,
        age,
        name,
        status: () => state.status ?? unseen,
        about,
      },
      limit,
      context,
    );
    context.lastStatus(endText(state.status ?? unseen, clock.monotonic() - began, ...about()));
    return { id, state: settled(state) };
  } catch (error) {
    // The API text does not show the path of get-job.
    const pathAdvice = isNotFound(error) && {
      remedy: `check on the platform if the job exists; if it does, the get-job operation has another path: set that path as getAgentJob in ${placesOf(routes)}.`,
    };
    const isOver = error instanceof JobFailedError;
    const outcome = isOver ? failedOutcome(state) : aftermath(state);
    const problem = asDocsPlatformError(error).withOutcome({ ...outcome, ...pathAdvice });
    return { id, state, problem, goesOn: !isOver };
  }
}

function failedOutcome({ jobId }: AgentMessageState): Aftermath {
  return {
    exists: `the message, which was sent, and agent job ${jobId}, failed.`,
    nextRun: "checks the job again, and sends nothing.",
  };
}

function aftermath(state: AgentMessageState): Aftermath {
  return state.status === undefined
    ? unknownDeliveryOutcome(state)
    : {
        exists: `the message, which was sent, and agent job ${state.jobId}, last seen "${state.status}". The state keeps both.`,
        nextRun: "checks the job again, and sends nothing.",
      };
}
