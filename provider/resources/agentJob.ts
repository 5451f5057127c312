import type { AgentJob } from "../platform/client";
import { type PollResult, tryingAgain, type WaitStatus, waitUntilDone } from "../polling/waiter";
import { formatDuration } from "../support/duration";
import {
  asDocsPlatformError,
  type DocsPlatformError,
  JobFailedError,
  NotFoundError,
  type Outcome,
  WaitTimeoutError,
} from "../support/errors";
import { isoTime } from "../support/isoTime";
import { type Context, PartialFailure } from "./lifecycle";
import type { WaitLimit } from "./waitLimit";

/** What the state keeps of a message and of the job that it went to. Times are ISO 8601 in UTC. */
export interface AgentMessageState {
  jobId: string;
  projectId: string;
  /** What a `.get` does not know. */
  prompt?: string;
  status?: string;
  source?: { repository: string; ref?: string };
  model?: string;
  prLink?: string;
  createdAt?: string;
  archivedAt?: string;
  triggers?: unknown;
  waitForCompletion?: boolean;
  waitTimeout?: string;
  /** Where the job lives: at another base URL its id means nothing. */
  __origin: string;
  /**
   * When the message was sent, by this machine's clock, as long as the work on it has not come to a good end: a wait that
   * was begun goes on in the next run, and a message whose answer was lost is looked after, and never sent again.
   */
  __unsettledSince?: string;
  /** True once the agent was seen at work on the message that is not settled: from then on an end is the end of it. */
  __begun?: true;
  /** The entry of the journal that may still be about this message. */
  __entry?: string;
}

/**
 * A job that had ended before the message came may be shown as ended for a moment longer: how long, and how often it is
 * looked at then; milliseconds.
 */
const settlingTime = 30_000;
const settlingRest = 4_000;

/** An agent may have next to nothing to do, or work for an hour: of its time next to nothing is known. */
const anyAgent = { duration: 10_000, spread: 1.8 };

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

/** The work on the message has come to a good end: nothing is left to wait for. */
export function settled({ __unsettledSince, __begun, ...state }: AgentMessageState): AgentMessageState {
  return state;
}

/**
 * Follows the job until it is completed, archived or failed ("Clients poll until" these, in the API text).
 * @throws PartialFailure for every other end, and for a failed job.
 */
export async function followAgentJob(
  id: string,
  initial: AgentMessageState,
  limit: WaitLimit,
  context: Context,
): Promise<AgentMessageState> {
  let state = noteBegin(initial);
  const sentAt = Date.parse(state.__unsettledSince ?? "");
  const client = await context.connect();
  const key = { projectId: state.projectId, id: state.jobId };

  async function look(): Promise<PollResult<AgentMessageState>> {
    // A failed poll is repeated by the wait or by the client, and not by both.
    const maxRetries = state.status === undefined ? undefined : 0;
    const job = await client.getAgentJob(key, { deadline: limit.deadline, signal: context.signal, maxRetries });
    state = noteBegin(observeAgentJob(state, job));
    const shownTooEarly = !state.__begun && context.clock.now() - sentAt < settlingTime;
    if (!isEnded(state) || shownTooEarly) {
      return { done: false, pollWithin: shownTooEarly ? settlingRest : undefined };
    }
    if (state.status?.toLowerCase() === "failed") {
      throw failed(state);
    }
    return { done: true, value: settled(state) };
  }

  try {
    const ended = await waitUntilDone({
      probe: look,
      since: sentAt,
      deadline: limit.deadline,
      prior: anyAgent,
      // Where it is in doubt whether the message arrived, the error should come soon.
      maxFailedPolls: () => (state.status === undefined ? 0 : context.settings().maxRetries),
      signal: context.signal,
      clock: context.clock,
      onStatus: (status) => context.status(describeWait(state, status)),
    });
    if (!ended) {
      throw stillActive(state, limit.waitTimeout);
    }
    return ended;
  } catch (error) {
    const pathAdvice = error instanceof NotFoundError && { remedy: unknownJobAdvice };
    throw new PartialFailure(id, state, asDocsPlatformError(error).withOutcome({ ...outcome(state), ...pathAdvice }));
  }
}

function describeWait({ jobId, status }: AgentMessageState, { elapsed, failing }: WaitStatus): string {
  const trouble = failing ? `, ${tryingAgain}` : "";
  return `agent job ${jobId}: ${status ?? "not seen yet"}${trouble}, ${formatDuration(Math.max(1_000, elapsed))} elapsed`;
}

/** Where get-job is, the API text does not show. */
const unknownJobAdvice =
  "see on the platform whether the job is there; if it is, its get-job operation is elsewhere: set DOCS_PLATFORM_AGENT_JOB_PATH (docs-platform:agentJobPath).";

function noteBegin(state: AgentMessageState): AgentMessageState {
  return state.status?.toLowerCase() === "active" ? { ...state, __begun: true } : state;
}

export function isEnded({ status }: AgentMessageState): boolean {
  return ["completed", "archived", "failed"].includes(status?.toLowerCase() ?? "");
}

function failed(state: AgentMessageState): DocsPlatformError {
  return new JobFailedError({
    happened: `agent job ${state.jobId} of project ${state.projectId} failed`,
    remedy: "see on the platform why; change prompt or triggers to send another message.",
  });
}

function stillActive(state: AgentMessageState, waitTimeout: string): DocsPlatformError {
  return new WaitTimeoutError({
    happened: `agent job ${state.jobId} of project ${state.projectId} was still "${state.status ?? "not seen yet"}" when waitTimeout (${waitTimeout}) ended`,
    remedy: "run `pulumi up` again, with a longer waitTimeout if the agent needs it.",
  });
}

function outcome(state: AgentMessageState): Outcome {
  return state.status === undefined
    ? doubt(state)
    : {
        exists: `the message, which was sent, and agent job ${state.jobId}, last seen "${state.status}"; both are kept in the state.`,
        nextRun: "looks at the job again, and sends nothing.",
      };
}

/** What a message leaves behind whose answer was lost, until a look has told how its job stands. */
export function doubt({ jobId, projectId }: { jobId: string; projectId: string }): Outcome {
  return {
    exists: `perhaps the message, at agent job ${jobId} of project ${projectId}.`,
    nextRun: "looks at the job, and sends nothing.",
    remedy: "see on the platform whether the message came; if it did not, change triggers to send it again.",
  };
}
