import { domainToASCII } from "node:url";
import type { StaticExportState } from "../definitions/staticExport";
import type { ExportJob } from "../platform/client";
import type { Prior } from "../polling/pacing";
import { type PollResult, waitUntilDone } from "../polling/waiter";
import { AdoptionError, asDocsPlatformError, JobFailedError, NotFoundError, WaitTimeoutError } from "../support/errors";
import { literal } from "../support/printable";
import type { Span } from "../support/span";
import { settling } from "../support/time/rests";
import { words } from "../support/words";
import { endOf, observe, ownStatus, phaseOf, toldBegin, underWay, wasJustAccepted } from "./exportJob";
import { type Context, PartialFailure } from "./lifecycle";
import { noteCompleted } from "./mintLink";
import { beginTolerance } from "./pendingStart";
import type { WaitLimit } from "./waitLimit";
import { maxFailedPolls } from "./waitLimit";
import { endText, failureOf, waitText } from "./waitText";

export interface ExportWaitOptions extends WaitLimit {
  /**
   * The origin of the job: started by this run, named by the program, remembered from a killed run, or kept in the
   * state. An adopted or remembered job is saved only after it was seen.
   */
  origin: "started" | "adopted" | "remembered" | "saved";
  /** The earliest time at which a remembered job can have begun, by the platform's clock; milliseconds since the epoch. */
  earliestBegin?: number | undefined;
  /** Called if the platform tells when the job began: the time by this machine's clock, in milliseconds since the epoch. */
  onBegin?: (begin: number) => void;
  /** The domain in the answer to the start, if there is one. */
  startedFor?: string | undefined;
  /** The data of the last export, if known. */
  prior?: Prior | undefined;
}

/**
 * Follows a job until it is completed.
 * @throws PartialFailure for every other end, so that the job stays in the state. An adopted or remembered job is not
 * saved if the first look shows that it has failed, is unknown, or is another job.
 */
export function followExport(
  initial: StaticExportState,
  follow: ExportWaitOptions,
  context: Context,
): Promise<StaticExportState> {
  const { jobId: job, domain } = initial;
  return context.span("wait for export", { job, domain }, (span) => waitForExport(initial, follow, context, span));
}

async function waitForExport(
  initial: StaticExportState,
  follow: ExportWaitOptions,
  context: Context,
  span: Span,
): Promise<StaticExportState> {
  let state = initial;
  const acceptedAt = initial.__acceptedAt === undefined ? undefined : Date.parse(initial.__acceptedAt);
  let begin = acceptedAt;
  let sawRunning = false;
  let seen = follow.origin === "started" || follow.origin === "saved";
  const client = await context.connect();

  async function poll(): Promise<PollResult<StaticExportState>> {
    let job: ExportJob;
    try {
      // A failed poll is repeated by the wait or by the client, and not by both.
      const maxRetries = seen ? 0 : undefined;
      job = await client.getExport(state.jobId, { deadline: follow.deadline, signal: context.signal, maxRetries });
    } catch (error) {
      span.event("poll", { failure: asDocsPlatformError(error).code });
      if (error instanceof NotFoundError && wasJustAccepted(state, context.clock.now())) {
        return { done: false, pollWithin: settling.acceptedJob.rest };
      }
      throw error;
    }
    span.event("poll", { status: job.status, progress: job.progress, pages: job.pageCount });
    requireDomain(state, job.domain, follow.origin);
    requireNoOlder(state, job, follow.earliestBegin);
    const told = toldBegin(job, context.clock.now());
    if (told !== undefined) {
      begin ??= told;
      follow.onBegin?.(told);
    }
    state = observe(state, job);
    if (endOf(job) === "failed") {
      throw jobFailed(state, job);
    }
    seen = true;
    return phaseOf(state) === "completed" ? { done: true, value: state } : underWay(job, context.clock.now());
  }

  try {
    requireDomain(state, follow.startedFor, follow.origin);
    const completed = await waitUntilDone({
      poll,
      since: acceptedAt,
      deadline: follow.deadline,
      prior: follow.prior,
      // A job that was not seen yet may be the wrong job, so the error should come soon.
      maxFailedPolls: (failure) => (seen ? maxFailedPolls(failure, context.settings()) : 0),
      signal: context.signal,
      clock: context.clock,
      onStatus: (status) => {
        sawRunning = true;
        context.status(waitText(state.status, status, ...facts(state)));
      },
      onRest: (text) => context.debug(`export job ${state.jobId}: ${text}`),
    });
    span.set({ status: state.status, pages: state.pageCount });
    if (!completed) {
      throw tooLong(state, follow);
    }
    noteCompleted(client, state.jobId, context.clock.now());
    // If an adopted job was completed at the first look, the time of its end is unknown.
    const hasUnknownEnd = follow.origin === "adopted" && !sawRunning;
    const elapsed = begin === undefined || hasUnknownEnd ? undefined : context.clock.now() - begin;
    context.lastStatus(endText(state.status, elapsed, ...facts(state)));
    return completed;
  } catch (error) {
    if (error instanceof NotFoundError) {
      state = { ...state, status: ownStatus.vanished };
    }
    const reason = asDocsPlatformError(error).withOutcome(seen ? keptOutcome(state) : unseenOutcome(state, follow));
    throw seen ? new PartialFailure(state.jobId, state, reason) : reason;
  }
}

/**
 * Checks the domain of a job. With `jobId`, the domain is only a label, unless the platform names the job's own domain.
 * A job from the journal is checked in the same way.
 * @throws AdoptionError if the job has another domain.
 */
function requireDomain(
  { jobId, domain, __adopted }: StaticExportState,
  told: string | undefined,
  origin: ExportWaitOptions["origin"],
): void {
  if (told === undefined || domain === undefined || hostOf(told) === hostOf(domain)) {
    return;
  }
  if (origin === "remembered") {
    throw notTheOne(jobId, `that job is of ${told}, not of ${domain}`);
  }
  throw new AdoptionError({
    happened: `export job ${jobId} is of ${told}, not of ${domain}`,
    remedy: __adopted
      ? `set domain to ${literal(told)}, or ${words.name("jobId")} to a job of ${domain}.`
      : `write the domain as the platform does, or ask the platform's operator; \`${words.replace}\` starts another job.`,
  });
}

/** Returns a host name in the form in which it is compared: lower case, punycode, without the last dot. */
function hostOf(domain: string): string {
  const name = domain.replace(/\.$/, "").toLowerCase();
  return domainToASCII(name) || name;
}

/** A job that began before its start was sent is another one. Both times are the platform's: machines' clocks may differ. */
function requireNoOlder(
  { jobId }: StaticExportState,
  { startedAt }: ExportJob,
  earliestBegin: number | undefined,
): void {
  if (earliestBegin !== undefined && startedAt !== undefined && startedAt < earliestBegin - beginTolerance) {
    throw notTheOne(jobId, "that job is older than the start");
  }
}

function notTheOne(jobId: string, why: string): AdoptionError {
  return new AdoptionError({
    happened: `the journal says that an earlier run started export job ${jobId}, but ${why}`,
    remedy: `if you want this job, adopt it by ${words.name("jobId")}; if not, remove its entry from the journal: somebody changed it.`,
  });
}

function jobFailed(state: StaticExportState, job: ExportJob): JobFailedError {
  return new JobFailedError({
    ...failureOf(`export job ${state.jobId} of ${state.domain}`, job),
    remedy: state.__adopted
      ? `set ${words.name("jobId")} to another job, or remove it and change triggers to start a new one.`
      : `fix the error that the platform reports, then run \`${words.run}\` again.`,
  });
}

function tooLong(state: StaticExportState, { name, time }: WaitLimit): WaitTimeoutError {
  return new WaitTimeoutError({
    happened: `export job ${state.jobId} of ${state.domain} was still "${state.status}" when ${name} (${time}) ended`,
    remedy: `run \`${words.run}\` again, with a longer ${name} if the job needs it.`,
  });
}

function unseenOutcome(
  { jobId }: StaticExportState,
  { origin }: ExportWaitOptions,
): { exists: string; nextRun: string } {
  return {
    exists:
      origin === "remembered"
        ? `export job ${jobId}, which a killed run started; the journal keeps its id.`
        : "what existed before; no export job was started.",
    nextRun: `checks job ${jobId} again, and starts no new job.`,
  };
}

function keptOutcome(state: StaticExportState): { exists: string; nextRun: string } {
  const job = `export job ${state.jobId}`;
  const phase = phaseOf(state);
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

/** Returns the parts of a line about a job that follow its status. */
function facts({ pageCount, domain, jobId }: StaticExportState): (string | undefined)[] {
  const pages = pageCount === undefined ? undefined : `${pageCount} ${pageCount === 1 ? "page" : "pages"}`;
  return [pages, domain, `job ${jobId}`];
}
