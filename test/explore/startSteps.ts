import { readFileSync } from "node:fs";
import type { Schedule } from "./schedule";

/**
 * The source file whose comment contains the table of a start's steps: `| state | step | next state | … |`. The path
 * begins at the project's folder. A path from this file would be wrong in the explorer's bundle, which is elsewhere.
 */
const table = readFileSync("provider/engine/recordedStart.ts", "utf8");
const rows = [...table.matchAll(/^ \* \| (\w+) \| (\w+) \| (\w+) \|/gm)].map(([, ...cells]) => cells.join(", "));

export const stepCounts = new Map(rows.map((row) => [row, 0]));

/**
 * Reads a line of the debug log. If the line shows a step of a start, the step is counted. A step that is not in the
 * table breaks a rule.
 * @returns the id of the job that the start continues, if any.
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
