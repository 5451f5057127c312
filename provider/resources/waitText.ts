import type { ExportJob } from "../platform/client";
import type { WaitStatus } from "../polling/waiter";
import { formatDuration, formatProgress } from "../support/time/duration";

/** A part of a line; undefined if nothing is known about it. */
type Part = string | undefined;

/**
 * Describes a wait in one line. A usual terminal cuts the line after about 18 characters. So the trouble, the progress
 * and the time left come first. Without progress, the status and the elapsed time come first.
 * @param about the parts that say what the wait is for.
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

/** Describes the good end of a wait. The text replaces the last {@link waitText}, whose times are no longer true. */
export function endText(status: string, elapsed: number | undefined, ...about: Part[]): string {
  return joinParts(elapsed === undefined ? status : `${status} in ${seconds(elapsed)}`, ...about);
}

/** Returns the text to show while polls fail. */
export function troubleText({ failing }: Pick<WaitStatus, "failing">): Part {
  return failing ? "no answer, retrying" : undefined;
}

export function joinParts(...parts: Part[]): string {
  return parts.filter((part) => part !== undefined).join(", ");
}

function seconds(milliseconds: number): string {
  return formatDuration(Math.max(1_000, milliseconds));
}

/**
 * Describes a failed job with everything that the platform says about it, since the API text does not show which field
 * has the reason.
 */
export function failureOf(
  job: string,
  { error, otherFields = [] }: Partial<Pick<ExportJob, "error" | "otherFields">>,
): { happened: string; told: readonly string[] } {
  const silent = otherFields.length === 0 ? "the platform does not say why" : "the platform gives details below";
  return { happened: `${job} failed: ${error ?? silent}`, told: otherFields };
}
