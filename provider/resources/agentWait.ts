import type { AgentMessageState } from "../definitions/agentMessage";
import type { AgentJob } from "../platform/client";
import { type PollResult, waitUntilDone } from "../polling/waiter";
import { placesOf, routes } from "../settings/settingTable";
import {
  asDocsPlatformError,
  type DocsPlatformError,
  JobFailedError,
  NotFoundError,
  type Outcome,
  WaitTimeoutError,
} from "../support/errors";
import type { Span } from "../support/span";
import { Deadline } from "../support/time/deadline";
import { settling } from "../support/time/rests";
import { words } from "../support/words";
import {
  isEnded,
  observeAgentJob,
  unknownDeliveryOutcome,
  unsettledOf,
  withoutPendingWait,
  withUnsettled,
} from "./agentJob";
import { type Context, PartialFailure } from "./lifecycle";
import type { WaitLimit } from "./waitLimit";
import { maxFailedPolls } from "./waitLimit";
import { endText, failureOf, waitText } from "./waitText";

/** The status that a person reads for a job that was not looked at. The state then has no status. */
const unseen = "not seen yet";

/** An agent may have almost nothing to do, or work for an hour: almost nothing is known about its time. */
const anyAgent = { duration: 10_000, spread: 1.8 };

/**
 * Follows the job until it is completed, archived or failed ("Clients poll until" these states, in the API text).
 * @throws PartialFailure for every other end, and for a failed job.
 */
export function followAgentJob(
  id: string,
  initial: AgentMessageState,
  limit: WaitLimit,
  context: Context,
): Promise<AgentMessageState> {
  const { jobId: job, projectId: project } = initial;
  return context.span("wait for agent", { job, project }, (span) => waitForAgent(id, initial, limit, context, span));
}

async function waitForAgent(
  id: string,
  initial: AgentMessageState,
  limit: WaitLimit,
  context: Context,
  span: Span,
): Promise<AgentMessageState> {
  let state = noteBegin(initial);
  const sentAt = Date.parse(unsettledOf(state)?.since ?? "");
  // A job that had ended before the message came may be shown as ended for a moment longer.
  const settled = new Deadline(sentAt + settling.agentJob.time, context.clock);
  const client = await context.connect();
  const key = { projectId: state.projectId, id: state.jobId };

  async function poll(): Promise<PollResult<AgentMessageState>> {
    // A failed poll is repeated by the wait or by the client, and not by both.
    const maxRetries = state.status === undefined ? undefined : 0;
    const polling = client.getAgentJob(key, { deadline: limit.deadline, signal: context.signal, maxRetries });
    const job = await polling.catch((error: unknown) => {
      span.event("poll", { failure: asDocsPlatformError(error).code });
      throw error;
    });
    span.event("poll", { status: job.status });
    state = noteBegin(observeAgentJob(state, job));
    const shownTooEarly = !unsettledOf(state)?.begun && !settled.hasPassed;
    if (!isEnded(state) || shownTooEarly) {
      return { done: false, pollWithin: shownTooEarly ? settling.agentJob.rest : undefined };
    }
    if (state.status?.toLowerCase() === "failed") {
      throw failed(state, job);
    }
    return { done: true, value: withoutPendingWait(state) };
  }

  try {
    const ended = await waitUntilDone({
      poll,
      since: sentAt,
      deadline: limit.deadline,
      prior: anyAgent,
      // If it is doubtful whether the message arrived, the error should come soon.
      maxFailedPolls: (failure) => (state.status === undefined ? 0 : maxFailedPolls(failure, context.settings())),
      signal: context.signal,
      clock: context.clock,
      onStatus: (status) => context.status(waitText(state.status ?? unseen, status, `agent job ${state.jobId}`)),
      onRest: (text) => context.debug(`agent job ${state.jobId}: ${text}`),
    });
    span.set({ status: state.status });
    if (!ended) {
      throw stillActive(state, limit);
    }
    context.lastStatus(endText(state.status ?? unseen, context.clock.now() - sentAt, `agent job ${state.jobId}`));
    return ended;
  } catch (error) {
    const pathAdvice = error instanceof NotFoundError && { remedy: unknownJobAdvice() };
    throw new PartialFailure(id, state, asDocsPlatformError(error).withOutcome({ ...outcome(state), ...pathAdvice }));
  }
}

/** Returns what to do about an unknown job. The API text does not show the path of get-job. */
const unknownJobAdvice = () =>
  `check on the platform if the job exists; if it does, the get-job operation has another path: set that path as getAgentJob in ${placesOf(routes)}.`;

function noteBegin(state: AgentMessageState): AgentMessageState {
  const unsettled = unsettledOf(state);
  return unsettled && state.status?.toLowerCase() === "active"
    ? withUnsettled(state, { ...unsettled, begun: true })
    : state;
}

function failed({ jobId, projectId }: AgentMessageState, job: AgentJob): DocsPlatformError {
  return new JobFailedError({
    ...failureOf(`agent job ${jobId} of project ${projectId}`, job),
    remedy: "fix the error that the platform reports; change prompt or triggers to send another message.",
  });
}

function stillActive(state: AgentMessageState, { name, time }: WaitLimit): DocsPlatformError {
  return new WaitTimeoutError({
    happened: `agent job ${state.jobId} of project ${state.projectId} was still "${state.status ?? unseen}" when ${name} (${time}) ended`,
    remedy: `run \`${words.run}\` again, with a longer ${name} if the agent needs it.`,
  });
}

function outcome(state: AgentMessageState): Outcome {
  return state.status === undefined
    ? unknownDeliveryOutcome(state)
    : {
        exists: `the message, which was sent, and agent job ${state.jobId}, last seen "${state.status}". The state keeps both.`,
        nextRun: "checks the job again, and sends nothing.",
      };
}
