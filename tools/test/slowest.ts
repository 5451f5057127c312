import { relative } from "node:path";
import { projectRoot } from "../projectRoot";
import type { Report } from "./counts";

/**
 * The slowest test files, one line each: its seconds, and how often it started the Pulumi engine.
 * @param engineRuns the test file of each start of the engine.
 */
export function slowestFiles(reports: readonly Report[], engineRuns: readonly string[], count = 20): string[] {
  const files = reports.flatMap(({ testResults }) => testResults);
  const slowest = files
    .map(({ name, startTime, endTime }) => ({ name, seconds: (endTime - startTime) / 1_000 }))
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, count);
  const lines = slowest.map(({ name, seconds }) => {
    const runs = engineRuns.filter((file) => file === name).length;
    return [seconds.toFixed(1).padStart(7), String(runs).padStart(11), ` ${relative(projectRoot, name)}`].join(" ");
  });
  return [`seconds engine runs  test file, the slowest ${lines.length} of ${files.length}`, ...lines];
}
