import { parseDuration } from "../support/duration";
import { asDocsPlatformError, InterruptedError, NotFoundError, RequestError } from "../support/errors";
import { differs } from "./compare";
import { type ExportState, isoTime, lookedUp, observe, vanished } from "./exportJob";
import { followExport } from "./exportWait";
import type { Context, Lifecycle } from "./lifecycle";
import { requireSameOrigin } from "./origin";
import { anything, duration, given, hostName, identifier, validate } from "./validation";

export interface StaticExportInputs {
  domain: string;
  triggers?: unknown;
  /** Adopt this job and start none. */
  jobId?: string;
  waitTimeout?: string;
}

const defaultWaitTimeout = "30m";

const rules = { domain: hostName, triggers: anything, jobId: identifier, waitTimeout: duration({ zero: false }) };

/** A static export job: started or adopted, followed until it is completed, and kept through every kind of end. */
export const staticExport: Lifecycle<StaticExportInputs, ExportState> = {
  check(inputs) {
    return { inputs: given(inputs), failures: validate(inputs, rules, ["domain"]) };
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

  async create(inputs, context) {
    const limit = waitLimit(inputs, context);
    const state =
      inputs.jobId === undefined
        ? await startExport(inputs, context, limit.deadline)
        : { ...initialState(inputs, inputs.jobId, context), status: "not seen yet", __adopted: true as const };
    return { id: state.jobId, state: await followExport(state, { ...limit, isNew: true }, context) };
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

  async update(state, inputs, context) {
    requireSameOrigin(state.__origin, context.settings().origin);
    const { waitTimeout: _, ...kept } = state;
    const next = { ...kept, ...(inputs.waitTimeout !== undefined && { waitTimeout: inputs.waitTimeout }) };
    return next.status === "completed"
      ? next
      : followExport(next, { ...waitLimit(inputs, context), isNew: false }, context);
  },
};

/** Starts a job of our own. From its answer on, every end keeps the job's id. */
async function startExport(inputs: StaticExportInputs, context: Context, deadline: number): Promise<ExportState> {
  const client = await context.connect();
  try {
    const { jobId, platformTime } = await client.startExport(inputs.domain, { deadline, signal: context.signal });
    const startedAt = isoTime(platformTime);
    return { ...initialState(inputs, jobId, context), ...(startedAt !== undefined && { startedAt }) };
  } catch (error) {
    const reason = asDocsPlatformError(error);
    if (reason instanceof RequestError && reason.doubtful) {
      throw reason.withOutcome({
        exists: `perhaps a job for ${inputs.domain} on the platform; its id is not known here.`,
        nextRun: "starts a job, unless you adopt the one that may be running.",
        remedy: adoptionAdvice(inputs.domain),
      });
    }
    throw reason.withOutcome({
      exists: `no export job of ${inputs.domain} was started.`,
      nextRun: reason instanceof InterruptedError ? "starts the job." : "tries to start the job again.",
    });
  }
}

function adoptionAdvice(domain: string): string {
  return [
    `look for a running job of ${domain} on the platform. If there is one, adopt it:`,
    `    new StaticExport("…", { domain: "${domain}", jobId: "<the id of that job>" })`,
    "  If there is none, run `pulumi up` again.",
  ].join("\n");
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

function waitLimit(inputs: StaticExportInputs, context: Context): { waitTimeout: string; deadline: number } {
  const waitTimeout = inputs.waitTimeout ?? defaultWaitTimeout;
  return { waitTimeout, deadline: context.clock.now() + (parseDuration(waitTimeout) ?? 0) };
}

/** A `.get` knows nothing but the id. */
function isSaved(state: Partial<ExportState>): state is ExportState {
  return state.jobId !== undefined && state.status !== undefined;
}
