import type { ExportJob } from "../platform/client";
import type { WaitStatus } from "../polling/waiter";
import { formatDuration, formatProgress } from "../support/time/duration";

/** A part of a line; undefined where nothing is known of it. */
type Part = string | undefined;

/**
 * How a wait stands, in one line. A usual terminal cuts it after some 18 characters. So the trouble, the progress and the time
 * left come first; where there is no progress, the status and the time so far do.
 * @param about what is waited for.
 */
export function waitText(status: string, wait: WaitStatus, ...about: Part[]): string {
  const { elapsed, progress, remaining, failing } = wait;
  return joinParts(
    troubleText({ failing }),
    formatProgress(progress, remaining),
    status,
    `${seconds(elapsed)} elapsed`,
    ...about,
  );
}

/** How a wait has ended well. It takes the place of the last {@link waitText}, which would tell of a time that is over. */
export function endText(status: string, elapsed: number | undefined, ...about: Part[]): string {
  return joinParts(elapsed === undefined ? status : `${status} in ${seconds(elapsed)}`, ...about);
}

/** What to show while polls fail. */
export function troubleText({ failing }: Pick<WaitStatus, "failing">): Part {
  return failing ? "no answer, retrying" : undefined;
}

export function joinParts(...parts: Part[]): string {
  return parts.filter((part) => part !== undefined).join(", ");
}

function seconds(milliseconds: number): string {
  return formatDuration(Math.max(1_000, milliseconds));
}

/** What happened to a job that failed, with all that the platform tells of it: which field says why is not shown. */
export function failureOf(
  job: string,
  { error, otherFields = [] }: Partial<Pick<ExportJob, "error" | "otherFields">>,
): { happened: string; told: readonly string[] } {
  const silent = otherFields.length === 0 ? "the platform does not say why" : "the platform gives details below";
  return { happened: `${job} failed: ${error ?? silent}`, told: otherFields };
}
