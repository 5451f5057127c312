import { requestOf, withUpdates } from "../definitions/definition";
import {
  staticExportDefinition as definition,
  type StaticExportInputs,
  type StaticExportState,
} from "../definitions/staticExport";
import { asDocsPlatformError, JobFailedError, NotFoundError } from "../support/errors";
import { isoTime } from "../support/time/duration";
import { observe, ownStatus, phaseOf, priorOf, stateFromLookUp, wasJustAccepted } from "./exportJob";
import type { ExportWaitOptions } from "./exportWait";
import { type Context, type Lifecycle, PartialFailure } from "./lifecycle";
import { requireSameOrigin } from "./origin";
import { EarlierStartError, type PendingStart } from "./pendingStart";
import { type WaitLimit, waitLimit } from "./waitLimit";

/**
 * A static export job. It is started or adopted, followed until it is completed, and kept in the state after every kind
 * of end.
 */
export const staticExport: Lifecycle<StaticExportInputs, StaticExportState> = {
  decide(state, _, { replacing }) {
    const phase = phaseOf(state);
    const isLost = !state.__adopted && (phase === "failed" || phase === "vanished");
    return {
      replaces: isLost && !replacing.includes("jobId") ? [...replacing, "jobId"] : replacing,
      update: phase !== "completed",
      changingOutputs: phase === "completed" ? [] : followed(state),
      reason: replacing.length > 0 ? undefined : reasonOf(state),
    };
  },

  async create(inputs, context, earlier) {
    await Promise.all([loadStart(), loadWait()]);
    // The duration of another site says nothing about this site.
    const prior = earlier?.domain === inputs.domain ? priorOf(earlier) : undefined;
    const limit = { ...waitLimit(inputs, context), prior };
    const state = await (inputs.jobId === undefined
      ? startOrResume(inputs, limit, context)
      : adopt(inputs, inputs.jobId, limit, context));
    return { id: state.jobId, state };
  },

  async read(id, state, context) {
    const { origin } = context.settings();
    requireSameOrigin(state.__origin, origin);
    try {
      const job = await (await context.connect()).getExport(id, { signal: context.signal });
      return isSaved(state) ? observe(state, job) : stateFromLookUp(id, origin, job);
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

  isUnderWay(state) {
    // An adopted job is never replaced by one of our own, whatever its end is.
    return (
      isSaved(state) && (phaseOf(state) === "underWay" || (state.__adopted === true && phaseOf(state) !== "completed"))
    );
  },

  async update(_, state, inputs, context) {
    requireSameOrigin(state.__origin, context.settings().origin);
    await loadWait();
    const next = withUpdates(definition, state, inputs);
    return phaseOf(next) === "completed"
      ? next
      : follow(next, { ...waitLimit(inputs, context), origin: "saved" }, context);
  },
};

/** Returns why there is something to do for a job, although none of its inputs has changed. */
function reasonOf(state: StaticExportState): string | undefined {
  const job = `export job ${state.jobId}`;
  const next = state.__adopted ? "it is checked again" : "a new one replaces it";
  switch (phaseOf(state)) {
    case "completed":
      return undefined;
    case "failed":
      return `${job} failed: ${next}`;
    case "vanished":
      return `the platform does not know ${job}: ${next}`;
    default:
      return `${job} was last seen "${state.status}": the run waits for it, and starts no new one`;
  }
}

/** Returns the outputs that a look at the job may change. A known time never changes. */
function followed({ startedAt }: StaticExportState): (keyof StaticExportState)[] {
  return ["status", "pageCount", "completedAt", ...(startedAt === undefined ? (["startedAt"] as const) : [])];
}

/**
 * Loads the code of starts and waits at its first use, since most runs do neither. Called before the limit of the wait
 * begins.
 */
const loadStart = () => import("./exportStart.js");
const loadWait = () => import("./exportWait.js");

async function follow(state: StaticExportState, how: ExportWaitOptions, context: Context): Promise<StaticExportState> {
  const { followExport } = await loadWait();
  return followExport(state, how, context);
}

/** The limit of a new wait, and the data of the last export. */
type Limit = Pick<ExportWaitOptions, keyof WaitLimit | "prior">;

/**
 * Returns a job of this provider: a job that an earlier run has started without saving it, if there is one of use, else
 * a new job.
 */
async function startOrResume(inputs: StaticExportInputs, limit: Limit, context: Context): Promise<StaticExportState> {
  const start = pendingStart(inputs, context);
  for (const tried = new Set<string>(); ; ) {
    try {
      return await startNew(inputs, start, limit, context);
    } catch (error) {
      if (!(error instanceof EarlierStartError) || tried.has(error.id)) {
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

/** @returns undefined if the earlier job has failed, or is unknown to the platform. */
async function resume(
  inputs: StaticExportInputs,
  start: PendingStart,
  earlier: EarlierStartError,
  limit: Limit,
  context: Context,
): Promise<StaticExportState | undefined> {
  const { id, isAdopted, wasSaved, earliestBegin } = earlier;
  const acceptedAt = isoTime(earlier.acceptedAt ?? earlier.intendedAt);
  context.info(
    `continues with export job ${id}, which an earlier run ${isAdopted ? "adopted" : "started"} at ${acceptedAt}`,
  );
  const common = { ...initialState(inputs, id, context), ...entryOf(start) };
  const state = isAdopted ? { ...common, ...adopted } : { ...common, __acceptedAt: acceptedAt };
  const origin = isAdopted || wasSaved ? "saved" : "remembered";
  try {
    return await follow(state, { ...limit, origin, earliestBegin }, context);
  } catch (failure) {
    const reason = failure instanceof PartialFailure ? failure.reason : failure;
    if (isAdopted || !(reason instanceof NotFoundError || reason instanceof JobFailedError)) {
      throw failure;
    }
    await start.discard(reason instanceof NotFoundError ? "unknown" : "failed");
    return undefined;
  }
}

async function startNew(inputs: StaticExportInputs, start: PendingStart, limit: Limit, context: Context) {
  const { startExportJob } = await loadStart();
  const { jobId, domain, platformTime } = await startExportJob(inputs, start, limit, context);
  await start.accepted(jobId, { platformTime });
  const startedAt = isoTime(platformTime);
  const times = { ...(startedAt !== undefined && { startedAt }), __acceptedAt: isoTime(context.clock.now()) };
  const state = { ...initialState(inputs, jobId, context), ...entryOf(start), ...times };
  return follow(state, { ...limit, origin: "started", startedFor: domain }, context);
}

async function adopt(
  inputs: StaticExportInputs,
  jobId: string,
  limit: Limit,
  context: Context,
): Promise<StaticExportState> {
  const state = { ...initialState(inputs, jobId, context), ...adopted };
  // The adopted job settles a start whose answer was lost, as soon as the job is in the state.
  let begin: number | undefined;
  const settle = () => pendingStart(inputs, context).settle(jobId, begin);
  const onBegin = (time: number) => {
    begin = time;
  };
  try {
    const followed = await follow(state, { ...limit, origin: "adopted", onBegin }, context);
    await settle();
    return followed;
  } catch (error) {
    if (error instanceof PartialFailure) {
      await settle();
    }
    throw error;
  }
}

function pendingStart(inputs: StaticExportInputs, context: Context): PendingStart {
  return context.pendingStart(requestOf(definition, inputs, context.settings().baseUrl));
}

/** The notes in the state about a job that the program has named, before it is looked at. */
const adopted = { status: ownStatus.unseen, __adopted: true } as const;

function entryOf({ entry }: PendingStart): { __entry?: string } {
  return entry === undefined ? {} : { __entry: entry };
}

function initialState(inputs: StaticExportInputs, jobId: string, context: Context): StaticExportState {
  return { ...inputs, jobId, status: "queued", version: jobId, __origin: context.settings().origin };
}

/** Returns true if the whole state is known. A `.get` knows only the id. */
function isSaved(state: Partial<StaticExportState>): state is StaticExportState {
  return state.jobId !== undefined && state.status !== undefined;
}
