import { mergeUpdatableInputs, pickInputsThatIdentifyStart, savedStateGuard } from "../definitions/definition";
import {
  staticExportDefinition as definition,
  type StaticExportInputs,
  type StaticExportState,
} from "../definitions/staticExport";
import type { WaitLimit } from "../polling/pollJob";
import { asDocsPlatformError, JobFailedError, NotFoundError } from "../support/errors";
import { formatIsoTime } from "../support/time/duration";
import { exportPhaseOf, mergeExportJobIntoState, previousJobOf, stateFromLookUp, wasJustAccepted } from "./exportJob";
import { startExportJob } from "./exportStart";
import { type ExportWaitOptions, followExport } from "./exportWait";
import type { Lifecycle, OperationContext, WriteOutcome } from "./lifecycle";
import { AlreadyStartedError, type PendingStart } from "./pendingStart";
import { requireSameOrigin } from "./requireSameOrigin";
import { createWaitLimit, statusNotSeenYet } from "./wait";

const isSaved = savedStateGuard<StaticExportState>("jobId", "status");

export const staticExportLifecycle: Lifecycle<StaticExportInputs, StaticExportState> = {
  decide(state, _, { replacing }) {
    const phase = exportPhaseOf(state);
    const isLost = !state.__adopted && (phase === "failed" || phase === "vanished");
    return {
      replaces: isLost && !replacing.includes("jobId") ? [...replacing, "jobId"] : replacing,
      update: phase !== "completed",
      changingOutputs: phase === "completed" ? [] : followed(state),
      reason: replacing.length > 0 ? undefined : reasonOf(state),
    };
  },

  async create(inputs, context, earlier) {
    // The duration of an earlier job is used only if that job exported the same domain.
    const prior = earlier?.domain === inputs.domain ? previousJobOf(earlier) : undefined;
    const limit = { ...createWaitLimit(inputs, context), prior };
    return inputs.jobId === undefined
      ? startOrResume(inputs, limit, context)
      : adopt(inputs, inputs.jobId, limit, context);
  },

  async read(id, state, context) {
    const { origin } = context.settings();
    requireSameOrigin(state.__origin, origin);
    try {
      const job = await (await context.connect()).getExport(id, { signal: context.signal });
      return isSaved(state)
        ? { ...mergeExportJobIntoState(state, job), __origin: origin }
        : stateFromLookUp(id, origin, job);
    } catch (error) {
      if (error instanceof NotFoundError && isSaved(state)) {
        if (wasJustAccepted(state, context.clock.now())) {
          return state;
        }
        context.warn(`the platform no longer knows export job ${id}: it is removed from the state.`);
        return undefined;
      }
      throw asDocsPlatformError(error).withOutcome({
        exists: isSaved(state)
          ? `export job ${id}, as recorded in the state; nothing was changed.`
          : "nothing was changed.",
        nextRun: "checks the job again.",
      });
    }
  },

  async update(id, state, inputs, context) {
    const { origin } = context.settings();
    requireSameOrigin(state.__origin, origin);
    const next = { ...mergeUpdatableInputs(definition, state, inputs), __origin: origin };
    return exportPhaseOf(next) === "completed"
      ? { id, state: next }
      : followExport(next, { ...createWaitLimit(inputs, context), origin: "saved" }, context);
  },
};

function reasonOf(state: StaticExportState): string | undefined {
  const job = `export job ${state.jobId}`;
  const next = state.__adopted ? "it is checked again" : "a new one replaces it";
  switch (exportPhaseOf(state)) {
    case "completed":
      return undefined;
    case "failed":
      return `${job} failed: ${next}`;
    case "vanished":
      return `the platform does not know ${job}: ${next}`;
    default:
      return state.status === statusNotSeenYet
        ? `${job} has not been looked at yet: the run waits for it, and starts no new one`
        : `${job} was last seen "${state.status}": the run waits for it, and starts no new one`;
  }
}

/** Returns the outputs that a poll may change. A known `startedAt` never changes. */
function followed({ startedAt }: StaticExportState): (keyof StaticExportState)[] {
  return ["status", "pageCount", "completedAt", ...(startedAt === undefined ? (["startedAt"] as const) : [])];
}

type Exported = WriteOutcome<StaticExportState>;

type Limit = WaitLimit & Pick<ExportWaitOptions, "prior">;

/**
 * Continues an earlier job that is not in the state. Starts a new job if there is no earlier job, or if the earlier job
 * has failed or is unknown to the platform.
 */
async function startOrResume(inputs: StaticExportInputs, limit: Limit, context: OperationContext): Promise<Exported> {
  const start = pendingStart(inputs, context);
  for (const tried = new Set<string>(); ; ) {
    try {
      return await startNew(inputs, start, limit, context);
    } catch (error) {
      if (!(error instanceof AlreadyStartedError) || tried.has(error.id)) {
        throw error;
      }
      tried.add(error.id);
      const resumed = await resume(inputs, start, error, limit, context);
      if (resumed !== undefined) {
        return resumed;
      }
    }
  }
}

/** @returns undefined if a new job is needed. */
async function resume(
  inputs: StaticExportInputs,
  start: PendingStart,
  { id, intendedAt, acceptedAt, earliestBegin, by }: AlreadyStartedError,
  limit: Limit,
  context: OperationContext,
): Promise<Exported | undefined> {
  const since = formatIsoTime(acceptedAt ?? intendedAt);
  context.info(`continues with export job ${id}, which ${by} started at ${since}`);
  const state = { ...initialState(inputs, id, context), ...entryOf(start), __acceptedAt: since };
  try {
    const exported = await followExport(state, { ...limit, origin: "remembered", earliestBegin }, context);
    if (!isOver(exported.problem)) {
      return exported;
    }
    await start.discard("failed");
  } catch (error) {
    if (!isOver(error)) {
      throw error;
    }
    await start.discard(error instanceof NotFoundError ? "unknown" : "failed");
  }
  return undefined;
}

function isOver(problem: unknown): boolean {
  return problem instanceof NotFoundError || problem instanceof JobFailedError;
}

async function startNew(inputs: StaticExportInputs, start: PendingStart, limit: Limit, context: OperationContext) {
  const { jobId, domain, platformTime } = await startExportJob(inputs, start, limit, context);
  await start.accepted(jobId, { platformTime });
  const times = { startedAt: formatIsoTime(platformTime), __acceptedAt: formatIsoTime(context.clock.now()) };
  const state = { ...initialState(inputs, jobId, context), ...entryOf(start), ...times };
  const exported = await followExport(state, { ...limit, origin: "started", startedFor: domain }, context);
  if (isOver(exported.problem)) {
    await start.discard("failed");
  }
  return exported;
}

async function adopt(inputs: StaticExportInputs, jobId: string, limit: Limit, context: OperationContext) {
  const state = { ...initialState(inputs, jobId, context), status: statusNotSeenYet, __adopted: true } as const;
  const { beganAt, ...exported } = await followExport(state, { ...limit, origin: "adopted" }, context);
  // The adopted job may come from an earlier start whose answer was lost. The record of that start is removed last,
  // because the record must stay if the adoption fails.
  await pendingStart(inputs, context).adopted(jobId, beganAt);
  return exported;
}

function pendingStart(inputs: StaticExportInputs, context: OperationContext): PendingStart {
  return context.pendingStart(pickInputsThatIdentifyStart(definition, inputs, context.settings().baseUrl));
}

function entryOf({ entry }: PendingStart): { __entry?: string } {
  return entry === undefined ? {} : { __entry: entry };
}

function initialState(inputs: StaticExportInputs, jobId: string, context: OperationContext): StaticExportState {
  return { ...inputs, jobId, status: "queued", version: jobId, __origin: context.settings().origin };
}
