import { asDocsPlatformError, JobFailedError, NotFoundError } from "../support/errors";
import { isoTime } from "../support/isoTime";
import { differs } from "./compare";
import { type ExportState, lookedUp, observe, vanished } from "./exportJob";
import { startExport } from "./exportStart";
import { type Follow, followExport, priorOf } from "./exportWait";
import type { Context, Lifecycle } from "./lifecycle";
import { requireSameOrigin } from "./origin";
import { anything, duration, given, hostName, identifier, validate } from "./validation";
import { type WaitLimit, waitLimit } from "./waitLimit";

export interface StaticExportInputs {
  domain: string;
  triggers?: unknown;
  /** Adopt this job and start none. */
  jobId?: string;
  waitTimeout?: string;
}

export const staticExportRules = {
  domain: hostName,
  triggers: anything,
  jobId: identifier,
  waitTimeout: duration({ zero: false }),
};

/** A static export job: started or adopted, followed until it is completed, and kept through every kind of end. */
export const staticExport: Lifecycle<StaticExportInputs, ExportState> = {
  check(inputs) {
    return { inputs: given(inputs), failures: validate(inputs, staticExportRules, ["domain"]) };
  },

  diff(state, inputs) {
    const replaces: string[] = (["domain", "triggers"] as const).filter((name) => differs(state[name], inputs[name]));
    const pinsAnother = inputs.jobId !== undefined && differs(state.jobId, inputs.jobId);
    const lost = !state.__adopted && (state.status === "failed" || state.status === vanished);
    if (pinsAnother || lost) {
      replaces.push("jobId");
    }
    return { replaces, update: state.status !== "completed" || differs(state.waitTimeout, inputs.waitTimeout) };
  },

  async create(inputs, context, earlier) {
    // Another site takes its own time.
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
      return isSaved(state) ? observe(state, job) : lookedUp(id, origin, job);
    } catch (error) {
      if (error instanceof NotFoundError && isSaved(state)) {
        return undefined;
      }
      throw asDocsPlatformError(error).withOutcome({
        exists: isSaved(state) ? `export job ${id} as the state has it; nothing was changed.` : "nothing was changed.",
        nextRun: "looks at the job again.",
      });
    }
  },

  async update(_, state, inputs, context) {
    requireSameOrigin(state.__origin, context.settings().origin);
    const { waitTimeout: __, ...kept } = state;
    const next = { ...kept, ...(inputs.waitTimeout !== undefined && { waitTimeout: inputs.waitTimeout }) };
    return next.status === "completed"
      ? next
      : followExport(next, { ...waitLimit(inputs, context), origin: "saved" }, context);
  },
};

/** How long a new wait may last, and how long the last one did. */
type Limit = Pick<Follow, keyof WaitLimit | "prior">;

/** A job of our own: the one that a killed run had started, where there is one, else a new one. */
async function startOrResume(inputs: StaticExportInputs, limit: Limit, context: Context): Promise<ExportState> {
  const request = { baseUrl: context.settings().baseUrl, domain: inputs.domain, triggers: inputs.triggers };
  const remembered = await context.memory.recall(request);
  if (remembered !== undefined) {
    try {
      const { id, notedAt } = remembered;
      const follow = { ...limit, origin: "remembered" as const, acceptedAt: notedAt };
      return await followExport(initialState(inputs, id, context), follow, context);
    } catch (error) {
      if (!(error instanceof NotFoundError || error instanceof JobFailedError)) {
        throw error;
      }
      context.memory.forget();
    }
  }
  const { jobId, platformTime } = await startExport(inputs.domain, limit, context);
  context.memory.note(request, jobId);
  const startedAt = isoTime(platformTime);
  const state = { ...initialState(inputs, jobId, context), ...(startedAt !== undefined && { startedAt }) };
  return followExport(state, { ...limit, origin: "started", acceptedAt: context.clock.now() }, context);
}

function adopt(inputs: StaticExportInputs, jobId: string, limit: Limit, context: Context): Promise<ExportState> {
  const state = { ...initialState(inputs, jobId, context), status: "not seen yet", __adopted: true as const };
  return followExport(state, { ...limit, origin: "adopted" }, context);
}

function initialState(inputs: StaticExportInputs, jobId: string, context: Context): ExportState {
  return {
    jobId,
    domain: inputs.domain,
    status: "queued",
    version: jobId,
    ...(inputs.triggers !== undefined && { triggers: inputs.triggers }),
    ...(inputs.waitTimeout !== undefined && { waitTimeout: inputs.waitTimeout }),
    __origin: context.settings().origin,
  };
}

/** A `.get` knows nothing but the id. */
function isSaved(state: Partial<ExportState>): state is ExportState {
  return state.jobId !== undefined && state.status !== undefined;
}
