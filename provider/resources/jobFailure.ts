import type { ExportJob } from "../platform/client";

/** What happened to a job that failed, with all that the platform tells of it: which field says why is not shown. */
export function failureOf(
  job: string,
  { error, otherFields = [] }: Partial<Pick<ExportJob, "error" | "otherFields">>,
): { happened: string; told: readonly string[] } {
  const silent = otherFields.length === 0 ? "the platform does not say why" : "the platform gives details below";
  return { happened: `${job} failed: ${error ?? silent}`, told: otherFields };
}
