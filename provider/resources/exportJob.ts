import type { StaticExportState } from "../definitions/staticExport";
import { classifyJobEnd } from "../platform/classifyJobEnd";
import type { ExportJob } from "../platform/client";
import type { PreviousJob } from "../polling/pacing";
import { stalePlatformAnswerRetries } from "../support/time/delays";
import { formatIsoTime } from "../support/time/duration";
import { jobStartClockTolerance } from "./pendingStart";

export const vanishedStatus = "vanished";

/** An unknown status counts as "underWay", because the platform may use any word while a job runs. */
type Phase = "underWay" | "completed" | "failed" | "vanished";

export function exportPhaseOf({ status }: Pick<StaticExportState, "status">): Phase {
  return status === "completed" || status === "failed" || status === vanishedStatus ? status : "underWay";
}

export function classifyExportJobEnd({ status }: Pick<ExportJob, "status">): "completed" | "failed" | undefined {
  const end = classifyJobEnd(status);
  return end === "archived" ? undefined : end;
}

/**
 * A completed job stays completed, unless the platform now says that it failed. A time in the state never changes.
 * Without a page count in the answer, the state keeps the last count.
 */
export function mergeExportJobIntoState(state: StaticExportState, job: ExportJob): StaticExportState {
  const known = exportPhaseOf(state) === "completed" ? "completed" : undefined;
  const status = classifyExportJobEnd(job) ?? known ?? job.status;
  const startedAt = state.startedAt ?? formatIsoTime(job.startedAt);
  // An adopted job may have completed long before this answer, so the time of the answer is not the job's end.
  const noticedAt = status === "completed" && !state.__adopted ? job.platformTime : undefined;
  const toldEnd = isBefore(job.completedAt, startedAt) ? undefined : job.completedAt;
  const completedAt = state.completedAt ?? formatIsoTime(toldEnd ?? noticedAt);
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

/** Returns true if the end is before the beginning. Both times may be rounded, so a small difference does not count. */
function isBefore(end: number | undefined, begin: string | undefined): boolean {
  return end !== undefined && begin !== undefined && end < Date.parse(begin) - jobStartClockTolerance;
}

/** Soon after the platform has accepted a job, "not found" may mean that the platform does not show the job yet. */
export function wasJustAccepted({ __acceptedAt }: Partial<StaticExportState>, now: number): boolean {
  return Math.abs(now - Date.parse(__acceptedAt ?? "")) < stalePlatformAnswerRetries.acceptedJob.time;
}

export function stateFromLookUp(jobId: string, origin: string, job: ExportJob): StaticExportState {
  const state: StaticExportState = { jobId, status: job.status, version: jobId, __origin: origin, __adopted: true };
  return mergeExportJobIntoState(job.domain === undefined ? state : { ...state, domain: job.domain }, job);
}

export function previousJobOf(last: StaticExportState | undefined): PreviousJob | undefined {
  const duration = Date.parse(last?.completedAt ?? "") - Date.parse(last?.startedAt ?? "");
  return last && exportPhaseOf(last) === "completed" && duration > 0 ? { duration, pages: last.pageCount } : undefined;
}
