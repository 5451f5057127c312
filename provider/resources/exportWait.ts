import type { StaticExportState } from "../definitions/staticExport";
import type { ExportJob } from "../platform/client";
import type { PreviousJob } from "../polling/pacing";
import { finishedWaitText, type PollHistory } from "../polling/pollHistory";
import { type AnswerVerdict, pollJob, type WaitLimit } from "../polling/pollJob";
import { DocsPlatformError, isNotFound, JobAdoptionError, JobFailedError, NotFoundError } from "../support/errors";
import { isSameHost } from "../support/hostNames";
import { formatStringLiteral } from "../support/printable";
import { Deadline } from "../support/time/deadline";
import { stalePlatformAnswerRetries } from "../support/time/delays";
import { words } from "../support/words";
import { classifyExportJobEnd, exportPhaseOf, mergeExportJobIntoState, vanishedStatus } from "./exportJob";
import type { OperationContext, WriteOutcome } from "./lifecycle";
import { jobStartClockTolerance } from "./pendingStart";
import { describeJobFailure, timeSince } from "./wait";

export interface ExportWaitOptions extends WaitLimit {
  /**
   * "started": by this run. "adopted": the program named the job. "remembered": the journal has it from a killed run.
   * "saved": the state has it. An adopted or remembered job is saved only after a poll has confirmed it.
   */
  origin: "started" | "adopted" | "remembered" | "saved";
  /**
   * For a remembered job: the earliest time at which it can have begun, in milliseconds since the epoch by the
   * platform's clock.
   */
  earliestBegin?: number | undefined;
  prior?: PreviousJob | undefined;
  /** The domain in the platform's answer to the start, if the answer names one. */
  startedFor?: string | undefined;
}

/**
 * Follows a job until it is completed, or the wait ends early. `beganAt` is in milliseconds since the epoch, by this
 * machine's clock.
 * @throws if no poll has confirmed an adopted or remembered job. Such a job is not saved.
 */
export async function followExport(
  initial: StaticExportState,
  how: ExportWaitOptions,
  context: OperationContext,
): Promise<WriteOutcome<StaticExportState> & Pick<PollHistory, "beganAt">> {
  const { jobId: id } = initial;
  const { origin, startedFor, prior } = how;
  const { clock } = context;
  const client = await context.connect();
  const wrong = otherDomain(initial, startedFor, origin);
  if (wrong !== undefined) {
    return withProblem(initial, wrong);
  }
  const { state, seen, problem } = await pollJob(
    {
      name: `export job ${id} of ${initial.domain}`,
      initial,
      ask: (options) => client.getExport(id, options),
      judge: (...given) => judgeExportJob(how, ...given),
      // An adopted or remembered job may be the wrong job. So an error in the first poll ends the wait.
      isConfirmed: origin === "started" || origin === "saved",
      age: timeSince(initial.__acceptedAt, clock),
      prior,
      describe,
    },
    how,
    context,
  );
  if (problem !== undefined && !seen.isConfirmed) {
    throw problem.withOutcome(unseenOutcome(state, how));
  }
  if (problem !== undefined) {
    return { ...withProblem(state, problem), beganAt: seen.beganAt };
  }
  context.bundlesDue.set(id, Deadline.in(stalePlatformAnswerRetries.bundle.time, clock));
  // An adopted job that is completed at the first poll may have ended long before. So no duration is shown.
  const hasUnknownEnd = origin === "adopted" && seen.polls === 1;
  const elapsed = seen.began === undefined || hasUnknownEnd ? undefined : clock.monotonic() - seen.began;
  context.lastStatus(finishedWaitText(describe(state), elapsed));
  return { id, state, beganAt: seen.beganAt };
}

/** @param age the time since the job was accepted, in milliseconds. */
export function judgeExportJob(
  { origin, earliestBegin }: Pick<ExportWaitOptions, "origin" | "earliestBegin">,
  before: StaticExportState,
  job: ExportJob | DocsPlatformError,
  age = Number.POSITIVE_INFINITY,
): AnswerVerdict<StaticExportState> {
  if (job instanceof DocsPlatformError) {
    if (isNotFound(job) && age < stalePlatformAnswerRetries.acceptedJob.time) {
      return { is: "goingOn", state: before, within: stalePlatformAnswerRetries.acceptedJob.pause };
    }
    const state = job instanceof NotFoundError ? { ...before, status: vanishedStatus } : before;
    return { is: "failed", state, problem: job };
  }
  const wrong = otherDomain(before, job.domain, origin) ?? olderJob(before, job, earliestBegin);
  if (wrong !== undefined) {
    return { is: "failed", state: before, problem: wrong };
  }
  const state = mergeExportJobIntoState(before, job);
  if (classifyExportJobEnd(job) === "failed") {
    return { is: "failed", state, problem: jobFailed(state, job) };
  }
  return { is: exportPhaseOf(state) === "completed" ? "done" : "goingOn", state };
}

/**
 * Returns an error if the job's domain in the answer is not the domain in the program. A missing domain is no error.
 */
function otherDomain(
  { jobId, domain, __adopted }: StaticExportState,
  own: string | undefined,
  origin: ExportWaitOptions["origin"],
): JobAdoptionError | undefined {
  if (own === undefined || domain === undefined || isSameHost(own, domain)) {
    return undefined;
  }
  if (origin === "remembered") {
    return wrongJobError(jobId, `that job is of ${own}, not of ${domain}`);
  }
  return new JobAdoptionError({
    happened: `export job ${jobId} is of ${own}, not of ${domain}`,
    remedy: __adopted
      ? `set domain to ${formatStringLiteral(own)}, or ${words.name("jobId")} to a job of ${domain}.`
      : `write the domain as the platform does, or ask the platform's operator; \`${words.replace}\` starts another job.`,
  });
}

/** A job that began before the provider's request is another job. Both times are by the platform's clock. */
function olderJob({ jobId }: StaticExportState, { startedAt }: ExportJob, earliestBegin: number | undefined) {
  const isOlder =
    earliestBegin !== undefined && startedAt !== undefined && startedAt < earliestBegin - jobStartClockTolerance;
  return isOlder ? wrongJobError(jobId, "that job is older than the start") : undefined;
}

function wrongJobError(jobId: string, why: string): JobAdoptionError {
  return new JobAdoptionError({
    happened: `the journal says that an earlier run started export job ${jobId}, but ${why}`,
    remedy: `if you want this job, adopt it by ${words.name("jobId")}; if not, remove its entry from the journal: somebody changed it.`,
  });
}

function jobFailed(state: StaticExportState, job: ExportJob): JobFailedError {
  return new JobFailedError({
    ...describeJobFailure(`export job ${state.jobId} of ${state.domain}`, job),
    remedy: state.__adopted
      ? `set ${words.name("jobId")} to another job, or remove it and change triggers to start a new one.`
      : `fix the error that the platform reports, then run \`${words.run}\` again.`,
  });
}

/** `goesOn` is true if a later run should continue to wait: the job is still running, and it is the right job. */
function withProblem(state: StaticExportState, problem: DocsPlatformError): WriteOutcome<StaticExportState> {
  const goesOn = exportPhaseOf(state) === "underWay" && !(problem instanceof JobAdoptionError);
  return { id: state.jobId, state, problem: problem.withOutcome(keptOutcome(state)), goesOn };
}

function unseenOutcome({ jobId }: StaticExportState, { origin }: ExportWaitOptions) {
  return {
    exists:
      origin === "remembered"
        ? `export job ${jobId}, which a killed run started; the journal keeps its id.`
        : "what existed before; no export job was started.",
    nextRun: `checks job ${jobId} again, and starts no new job.`,
  };
}

function keptOutcome(state: StaticExportState) {
  const job = `export job ${state.jobId}`;
  const phase = exportPhaseOf(state);
  if (phase !== "failed" && phase !== "vanished") {
    return {
      exists: `${job}, last seen "${state.status}". The job continues on the platform, and the state keeps it.`,
      nextRun: "continues to wait for this job, and starts no new job.",
    };
  }
  return {
    exists: phase === "failed" ? `${job}, failed.` : `no ${job}: the platform does not know it.`,
    nextRun: state.__adopted ? "checks the same job again, and starts no new job." : "replaces it with a new job.",
  };
}

function describe({ status, pageCount, domain, jobId }: StaticExportState): [string, ...(string | undefined)[]] {
  const pages = pageCount === undefined ? undefined : `${pageCount} ${pageCount === 1 ? "page" : "pages"}`;
  return [status, pages, domain, `job ${jobId}`];
}
