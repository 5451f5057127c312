import type { StaticExportState } from "../definitions/staticExport";
import type { ExportJob } from "../platform/client";
import type { Prior } from "../polling/pacing";
import type { NotDone } from "../polling/waiter";
import { isoTime } from "../support/time/duration";
import { settling } from "../support/time/rests";

/**
 * The status in the state if the platform tells none: for a job that the platform no longer knows, and for a job that
 * was not looked at.
 */
export const ownStatus = { vanished: "vanished", unseen: "not seen yet" } as const;

/**
 * The phase of a job, by its status in the state. Until the job has ended, the platform may use any word as the status.
 */
export type Phase = "unseen" | "underWay" | "completed" | "failed" | "vanished";

export function phaseOf({ status }: Pick<StaticExportState, "status">): Phase {
  switch (status) {
    case ownStatus.vanished:
      return "vanished";
    case ownStatus.unseen:
      return "unseen";
    case "completed":
    case "failed":
      return status;
    default:
      return "underWay";
  }
}

/** Returns how a job ended, by the platform's word in any case; undefined if it has not ended. */
export function endOf({ status }: Pick<ExportJob, "status">): "completed" | "failed" | undefined {
  const word = status.toLowerCase();
  return word === "completed" || word === "failed" ? word : undefined;
}

/**
 * Returns the time at which the job began by this machine's clock, if the platform tells it. The platform's own clock
 * shows how long ago the job began.
 * @param now milliseconds since the epoch, like the result.
 */
export function toldBegin({ startedAt, platformTime }: ExportJob, now: number): number | undefined {
  return startedAt === undefined ? undefined : now - (platformTime - startedAt);
}

/** Returns what a wait needs to know about a job that has not ended. */
export function underWay(job: ExportJob, now: number): NotDone {
  const { status, progress, pageCount: pages } = job;
  return { done: false, queued: status.toLowerCase() === "queued", progress, pages, since: toldBegin(job, now) };
}

/**
 * Returns the state after one more look at the job. A completed job stays completed, unless it failed after all. A
 * known time never changes. The last page count is kept, since the API text shows it "while running" only.
 */
export function observe(state: StaticExportState, job: ExportJob): StaticExportState {
  const known = phaseOf(state) === "completed" ? "completed" : undefined;
  const status = endOf(job) ?? known ?? job.status;
  const startedAt = state.startedAt ?? isoTime(job.startedAt);
  // If an adopted job does not show when it completed, this stays unknown: the job may have completed long before the
  // look.
  const noticedAt = status === "completed" && !state.__adopted ? job.platformTime : undefined;
  const completedAt = state.completedAt ?? isoTime(job.completedAt ?? noticedAt);
  const pageCount = job.pageCount ?? state.pageCount;
  const { __acceptedAt, ...kept } = state;
  return {
    ...kept,
    ...(__acceptedAt !== undefined && status !== "completed" && { __acceptedAt }),
    status,
    ...(startedAt !== undefined && { startedAt }),
    ...(completedAt !== undefined && { completedAt }),
    ...(pageCount !== undefined && { pageCount }),
  };
}

/** Whether "not found" may still mean that the platform does not find a job yet that it has accepted. */
export function wasJustAccepted({ __acceptedAt }: Partial<StaticExportState>, now: number): boolean {
  return Math.abs(now - Date.parse(__acceptedAt ?? "")) < settling.acceptedJob.time;
}

/** Creates the state of a job about which only the platform's answer is known. */
export function stateFromLookUp(jobId: string, origin: string, job: ExportJob): StaticExportState {
  const state: StaticExportState = { jobId, status: job.status, version: jobId, __origin: origin, __adopted: true };
  return observe(job.domain === undefined ? state : { ...state, domain: job.domain }, job);
}

/** Returns the duration and the pages of a completed export, for the forecast of the next export of its domain. */
export function priorOf(last: StaticExportState | undefined): Prior | undefined {
  const duration = Date.parse(last?.completedAt ?? "") - Date.parse(last?.startedAt ?? "");
  return last && phaseOf(last) === "completed" && duration > 0 ? { duration, pages: last.pageCount } : undefined;
}
