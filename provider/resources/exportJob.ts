import type { StaticExportState } from "../definitions/staticExport";
import type { ExportJob } from "../platform/client";
import type { Prior } from "../polling/pacing";
import type { NotDone } from "../polling/waiter";
import { isoTime } from "../support/time/duration";
import { settling } from "../support/time/rests";

/** What the state holds for a status where the platform tells none: of a job that it no longer knows, and of one not looked at. */
export const ownStatus = { vanished: "vanished", unseen: "not seen yet" } as const;

/** Where a job stands, by its status in the state. The platform may write any word as long as the job is not ended. */
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

/** How a job ended, by the platform's word in whatever case; undefined while it has not. */
export function endOf({ status }: Pick<ExportJob, "status">): "completed" | "failed" | undefined {
  const word = status.toLowerCase();
  return word === "completed" || word === "failed" ? word : undefined;
}

/**
 * When the job began by this machine's clock, where the platform tells: its own clock then and now tells how long ago.
 * @param now milliseconds since the epoch, as is the result.
 */
export function toldBegin({ startedAt, platformTime }: ExportJob, now: number): number | undefined {
  return startedAt === undefined ? undefined : now - (platformTime - startedAt);
}

/** What a wait goes by of a job that has not ended. */
export function underWay(job: ExportJob, now: number): NotDone {
  const { status, progress, pageCount: pages } = job;
  return { done: false, queued: status.toLowerCase() === "queued", progress, pages, since: toldBegin(job, now) };
}

/**
 * The state after one more look. A job once seen completed stays so, unless it failed after all; a time once known is
 * never changed, and the last page count is kept, since the API text shows it "while running" only.
 */
export function observe(state: StaticExportState, job: ExportJob): StaticExportState {
  const known = phaseOf(state) === "completed" ? "completed" : undefined;
  const status = endOf(job) ?? known ?? job.status;
  const startedAt = state.startedAt ?? isoTime(job.startedAt);
  // What an adopted job does not tell of itself stays unknown: when we noticed says nothing of it.
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

/** A job of which nothing is known but what the platform tells. */
export function stateFromLookUp(jobId: string, origin: string, job: ExportJob): StaticExportState {
  const state: StaticExportState = { jobId, status: job.status, version: jobId, __origin: origin, __adopted: true };
  return observe(job.domain === undefined ? state : { ...state, domain: job.domain }, job);
}

/** What a completed export tells of the next one of its domain. */
export function priorOf(last: StaticExportState | undefined): Prior | undefined {
  const duration = Date.parse(last?.completedAt ?? "") - Date.parse(last?.startedAt ?? "");
  return last && phaseOf(last) === "completed" && duration > 0 ? { duration, pages: last.pageCount } : undefined;
}
