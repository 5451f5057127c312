import { readFileSync } from "node:fs";
import type { Schedule } from "./schedule";

/**
 * The source file whose comment contains the table of a start's steps: `| state | step | next state | … |`. The path is
 * relative to the project's folder, because the explorer's bundle is in another folder.
 */
const table = readFileSync("provider/engine/recordedStart.ts", "utf8");
const rows = [...table.matchAll(/^ \* \| (\w+) \| (\w+) \| (\w+) \|/gm)].map(([, ...cells]) => cells.join(", "));

export const stepCounts = new Map(rows.map((row) => [row, 0]));

/**
 * Counts a start's step, which a line of the debug log shows. A step that is not in the table breaks a rule.
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
