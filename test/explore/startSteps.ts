import { readFileSync } from "node:fs";
import type { Schedule } from "./schedule";

/**
 * The source file whose comment has the table of a start's steps: `| state | step | next state | … |`. The path is
 * relative to the working directory, which is the project's folder. It is not relative to this file, because a bundle
 * of the explorer is in another folder.
 */
const table = readFileSync("provider/engine/recordedStart.ts", "utf8");
const rows = [...table.matchAll(/^ \* \| (\w+) \| (\w+) \| (\w+) \|/gm)].map(([, ...cells]) => cells.join(", "));

/** The number of times that each step of the table has occurred. */
export const stepCounts = new Map(rows.map((row) => [row, 0]));

/**
 * Counts a step of a start that a line of the debug log shows. A step that the table does not contain breaks a rule.
 * @returns the id of the job, if the start continues a job.
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
