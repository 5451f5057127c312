import { readFileSync } from "node:fs";
import type { Schedule } from "./schedule";

/**
 * The table of a start's steps, from the comment of its type: `| state | step | next state | … |`. The path begins at
 * the working folder, which is the project's: the explorer may also run from a bundle with a mutant.
 */
const table = readFileSync("provider/engine/recordedStart.ts", "utf8");
const rows = [...table.matchAll(/^ \* \| (\w+) \| (\w+) \| (\w+) \|/gm)].map(([, ...cells]) => cells.join(", "));

/** How often each step of the table was taken. */
export const stepCounts = new Map(rows.map((row) => [row, 0]));

/**
 * Counts a step of a start by a line of the process's debug log. A step that is not in the table breaks a rule.
 * @returns the id of the job if the start continues it.
 */
export function noteStep(line: string, schedule: Schedule): string | undefined {
  const [, step, id] = /^start [0-9a-f]{12}: (\w+, \w+, (?:\w+))(?:, job (.*))?$/.exec(line) ?? [];
  if (step === undefined) {
    return undefined;
  }
  const count = stepCounts.get(step);
  if (count === undefined) {
    schedule.broken.push(`STEP: a start takes the step "${step}", which its table lacks`);
  } else {
    stepCounts.set(step, count + 1);
  }
  return step.endsWith("continued") ? id : undefined;
}
