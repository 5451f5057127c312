import { randomBytes } from "node:crypto";
import {
  type AgentMessageInputs,
  type AgentMessageState,
  agentMessageDefinition as definition,
} from "../definitions/agentMessage";
import { mergeUpdatableInputs, pickInputsThatIdentifyStart, savedStateGuard } from "../definitions/definition";
import type { RawValues } from "../definitions/values";
import { classifyJobEnd } from "../platform/classifyJobEnd";
import { projectIdAdvice } from "../settings/settingTable";
import {
  asDocsPlatformError,
  ConfigurationError,
  type DocsPlatformError,
  JobAdoptionError,
  RateLimitError,
  RequestError,
} from "../support/errors";
import type { Deadline } from "../support/time/deadline";
import { formatDuration, formatIsoTime } from "../support/time/duration";
import { words } from "../support/words";
import { describeLostMessageAnswer, followAgentJob, mergeAgentJobIntoState, withoutWaitMarks } from "./agentWait";
import type { Lifecycle, OperationContext, WriteOutcome } from "./lifecycle";
import { AlreadyStartedError, type PendingStart } from "./pendingStart";
import { requireSameOrigin } from "./requireSameOrigin";
import { createWaitLimit } from "./wait";

const isSaved = savedStateGuard<AgentMessageState>("jobId", "prompt");

export const agentMessageLifecycle: Lifecycle<AgentMessageInputs, AgentMessageState> = {
  decide(state, inputs, { replacing, updating }) {
    const isOpen = state.__unsettledSince !== undefined;
    const update = updating.length > 0 || isOpen;
    // An unknown `waitForCompletion` counts as true: the update may have to wait.
    const willLook = update && (state.status === undefined || needsWait(state, inputs));
    const reason = isOpen && willLook && replacing.length === 0 ? reasonOf(state) : undefined;
    return { replaces: replacing, update, changingOutputs: willLook ? "all" : [], reason };
  },

  async create(inputs, context) {
    const limit = createWaitLimit(inputs, context);
    const start = context.pendingStart(pickInputsThatIdentifyStart(definition, inputs, context.settings().baseUrl));
    const newId = `${inputs.jobId}/${randomBytes(6).toString("hex")}`;
    const sent = await send(newId, inputs, start, limit.deadline, context);
    const { id, state, problem, wasSentBefore } = sent;
    if (problem !== undefined) {
      return sent;
    }
    if (inputs.waitForCompletion) {
      return followAgentJob(id, state, limit, context);
    }
    return wasSentBefore ? lookAfterSending(id, state, context) : { id, state: withoutWaitMarks(state) };
  },

  async read(id, state, context) {
    const { origin, projectId } = context.settings();
    requireSameOrigin(state.__origin, origin);
    const known = isSaved(state) ? state : stateFromLookUp(id, state.projectId ?? projectId, origin);
    try {
      const client = await context.connect();
      const job = await client.getAgentJob({ projectId: known.projectId, id: known.jobId }, { signal: context.signal });
      return mergeAgentJobIntoState(known, job);
    } catch (error) {
      const reason = asDocsPlatformError(error);
      if (!isSaved(state)) {
        throw reason.withOutcome({ exists: "nothing was changed.", nextRun: "checks the job again." });
      }
      // The message must stay in the state, because the next run would otherwise send it again. After "not found", the
      // job may still exist: the path of get-job may be wrong, because the API text does not show it.
      context.warn(
        `agent job ${known.jobId} could not be read; the state stays unchanged. ${reason.code}: ${reason.happened}`,
      );
      return state;
    }
  },

  async update(id, state, inputs, context) {
    requireSameOrigin(state.__origin, context.settings().origin);
    const next = mergeUpdatableInputs(definition, state, inputs);
    if (needsWait(state, inputs)) {
      const waiting = { __unsettledSince: formatIsoTime(context.clock.now()), ...next };
      return followAgentJob(id, waiting, createWaitLimit(inputs, context), context);
    }
    return next.status === undefined ? lookAfterSending(id, next, context) : { id, state: withoutWaitMarks(next) };
  },
};

type Sent = WriteOutcome<AgentMessageState>;

function reasonOf({ status }: AgentMessageState): string {
  return status === undefined
    ? "it is not known if the message arrived: the job will be checked"
    : `agent job was last seen "${status}": will be checked again`;
}

/** Returns true if the wait begins now, or if an earlier wait did not end well. */
function needsWait(state: AgentMessageState, { waitForCompletion }: RawValues): boolean {
  const begins = !state.waitForCompletion && classifyJobEnd(state.status) === undefined;
  return Boolean(waitForCompletion) && (begins || state.__unsettledSince !== undefined);
}

/**
 * Sends nothing if an earlier run has sent the message. If an error leaves open whether the message has arrived, the
 * result has both a state and a `problem`.
 */
async function send(
  id: string,
  inputs: AgentMessageInputs,
  start: PendingStart,
  deadline: Deadline,
  context: OperationContext,
): Promise<Sent & { wasSentBefore?: true }> {
  const { origin: __origin } = context.settings();
  const initial = { ...inputs, __origin, __unsettledSince: formatIsoTime(context.clock.now()) };
  const state = () => ({ ...initial, ...(start.entry !== undefined && { __entry: start.entry }) });
  const client = await context.connect();
  try {
    const key = { projectId: inputs.projectId, id: inputs.jobId };
    const onLimit = (pause: number) =>
      context.status(`next try in ${formatDuration(pause)}: limit of messages reached, agent job ${inputs.jobId}`);
    const how = { deadline, signal: context.signal, once: start, onLimit };
    const job = await client.sendMessage(key, inputs.prompt, how);
    await start.accepted(id);
    return { id, state: mergeAgentJobIntoState(state(), job) };
  } catch (error) {
    if (error instanceof AlreadyStartedError) {
      requireMessageTo(inputs, error.id);
      reportEarlierMessage(inputs, error, context);
      const sentAt = { __unsettledSince: formatIsoTime(error.intendedAt) };
      return { id: error.id, state: { ...state(), ...sentAt }, wasSentBefore: true };
    }
    const reason = asDocsPlatformError(error);
    if (reason instanceof RequestError && reason.doubtful) {
      // The message may have arrived, so the state keeps the message, and the next run does not send it again.
      await start.accepted(id, { isAnswered: false });
      return { id, state: state(), problem: reason.withOutcome(describeLostMessageAnswer(inputs)), goesOn: true };
    }
    throw reason.withOutcome(notSent(inputs, reason));
  }
}

/** The earlier run may have been killed before it could report its message. */
function reportEarlierMessage(
  inputs: AgentMessageInputs,
  { intendedAt, acceptedAt, by }: AlreadyStartedError,
  context: OperationContext,
) {
  const { jobId } = inputs;
  if (acceptedAt === undefined) {
    const { remedy } = describeLostMessageAnswer(inputs);
    context.warn(
      `it is not known if a message reached agent job ${jobId}: ${by} sent it at ${formatIsoTime(intendedAt)} and got no answer. This run does not send it again; ${remedy}`,
    );
  } else {
    context.info(
      `continues with the message that ${by} sent to agent job ${jobId} at ${formatIsoTime(acceptedAt)}, and sends no new one`,
    );
  }
}

/** Somebody may have changed the journal. Every id that this provider creates begins with the job's id. */
function requireMessageTo({ jobId }: AgentMessageInputs, id: string): void {
  if (!id.startsWith(`${jobId}/`) || !/^[0-9a-f]{12}$/.test(id.slice(jobId.length + 1))) {
    throw new JobAdoptionError({
      happened: `the journal says that an earlier run sent ${id} as a message to agent job ${jobId}, but this is not the id of such a message`,
      remedy: "remove its entry from the journal: somebody changed it.",
    }).withOutcome({
      exists: "no message from this run.",
      nextRun: "fails with this error again, as long as the journal has the entry.",
    });
  }
}

function notSent({ jobId, projectId }: AgentMessageInputs, reason: DocsPlatformError) {
  const when =
    reason instanceof RateLimitError && reason.retryAfter !== undefined
      ? `in ${formatDuration(reason.retryAfter)}`
      : "later";
  return {
    exists: `no message was sent to agent job ${jobId} of project ${projectId}.`,
    nextRun: "tries to send the message again.",
    ...(reason instanceof RateLimitError && {
      remedy: `run \`${words.run}\` again ${when}: a project may send 100 messages an hour.`,
    }),
  };
}

async function lookAfterSending(id: string, state: AgentMessageState, context: OperationContext): Promise<Sent> {
  try {
    const client = await context.connect();
    const key = { projectId: state.projectId, id: state.jobId };
    const job = await client.getAgentJob(key, { signal: context.signal });
    return { id, state: withoutWaitMarks(mergeAgentJobIntoState(state, job)) };
  } catch (error) {
    const problem = asDocsPlatformError(error).withOutcome(describeLostMessageAnswer(state));
    return { id, state, problem, goesOn: true };
  }
}

function stateFromLookUp(id: string, projectId: string | undefined, origin: string): AgentMessageState {
  if (projectId === undefined) {
    throw new ConfigurationError([`the setting ${words.name("projectId")} is missing: ${projectIdAdvice()}`]);
  }
  return { jobId: id.replace(/\/[0-9a-f]{12}$/, ""), projectId, __origin: origin };
}
