import type { StaticExportState } from "../definitions/staticExport";
import type { ExportJob } from "../platform/client";
import type { Prior } from "../polling/pacing";
import { AdoptionError, asDocsPlatformError, isNotFound, JobFailedError, NotFoundError } from "../support/errors";
import { isSameHost } from "../support/hostNames";
import { literal } from "../support/printable";
import { Deadline } from "../support/time/deadline";
import { settling } from "../support/time/delays";
import { words } from "../support/words";
import { ageOf, endOf, observe, phaseOf, vanished } from "./exportJob";
import type { Context, Outcome } from "./lifecycle";
import { beginTolerance } from "./pendingStart";
import { endText, failureOf, timeSince, type WaitLimit, waitForJob } from "./wait";

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
  prior?: Prior | undefined;
  startedFor?: string | undefined;
}

/**
 * Follows a job until it is completed, or the wait ends early.
 * @throws if an adopted or remembered job was not seen, or the first look shows that it has failed, is unknown, or is
 * another job. Such a job is not saved.
 */
export async function followExport(
  initial: StaticExportState,
  follow: ExportWaitOptions,
  context: Context,
): Promise<Outcome<StaticExportState>> {
  const { jobId: job, domain } = initial;
  const { clock } = context;
  let state = initial;
  let isSeen = follow.origin === "started" || follow.origin === "saved";
  const sinceAccepted = timeSince(initial.__acceptedAt, clock);
  const settles = Deadline.in(settling.acceptedJob.time - (sinceAccepted ?? Number.POSITIVE_INFINITY), clock);
  /** By the monotonic clock. */
  let began = sinceAccepted === undefined ? undefined : clock.monotonic() - sinceAccepted;
  const about = () => facts(state);
  const client = await context.connect();
  try {
    requireDomain(state, follow.startedFor, follow.origin);
    const wasCompleted = await waitForJob(
      {
        ask: (options) => client.getExport(job, options),
        see(answer) {
          requireDomain(state, answer.domain, follow.origin);
          requireNoOlder(state, answer, follow.earliestBegin);
          const age = ageOf(answer);
          if (age !== undefined) {
            began ??= clock.monotonic() - age;
            follow.onBegin?.(clock.now() - age);
          }
          state = observe(state, answer);
          if (endOf(answer) === "failed") {
            throw jobFailed(state, answer);
          }
          isSeen = true;
          return phaseOf(state) === "completed"
            ? { done: true, value: true }
            : {
                done: false,
                progress: answer.progress,
                pages: answer.pageCount,
                age,
                retryAfter: answer.retryAfter,
              };
        },
        excuse: (error) =>
          isNotFound(error) && !settles.hasPassed ? { done: false, pollWithin: settling.acceptedJob.rest } : undefined,
        // A job that was not seen yet may be the wrong job, so the error should come soon.
        isConfirmed: () => isSeen,
        age: sinceAccepted,
        prior: follow.prior,
        name: `export job ${job} of ${domain}`,
        status: () => state.status,
        about,
      },
      follow,
      context,
    );
    context.bundlesDue.set(job, Deadline.in(settling.bundle.time, clock));
    // If an adopted job was completed at the first look, the time of its end is unknown.
    const hasUnknownEnd = follow.origin === "adopted" && wasCompleted;
    const elapsed = began === undefined || hasUnknownEnd ? undefined : clock.monotonic() - began;
    context.lastStatus(endText(state.status, elapsed, ...about()));
    return { id: job, state };
  } catch (error) {
    if (error instanceof NotFoundError) {
      state = { ...state, status: vanished };
    }
    const problem = asDocsPlatformError(error).withOutcome(isSeen ? keptOutcome(state) : unseenOutcome(state, follow));
    if (!isSeen) {
      throw problem;
    }
    // A job that turns out to be of another domain is of no use, although it may run.
    return { id: job, state, problem, goesOn: phaseOf(state) === "underWay" && !(problem instanceof AdoptionError) };
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
  if (told === undefined || domain === undefined || isSameHost(told, domain)) {
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

function facts({ pageCount, domain, jobId }: StaticExportState): (string | undefined)[] {
  const pages = pageCount === undefined ? undefined : `${pageCount} ${pageCount === 1 ? "page" : "pages"}`;
  return [pages, domain, `job ${jobId}`];
}
