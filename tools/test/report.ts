import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { z } from "zod";
import { projectRoot } from "../projectRoot";

/** The number of tests by their results. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const report = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  numTodoTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      startTime: z.number(),
      endTime: z.number(),
      status: z.string(),
      assertionResults: z.array(z.object({ status: z.string() })),
    }),
  ),
});

/** The JSON report of one vitest run. */
export type Report = z.infer<typeof report>;

/** One vitest run, without a report if it wrote none. */
export interface VitestRun {
  readonly exitCode: number;
  readonly report: Report | undefined;
}

/** Reads the JSON report of a vitest run. */
export function readReport(file: string): Report | undefined {
  try {
    return report.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return undefined;
  }
}

/**
 * The counts of all vitest runs together. What fails without being a test counts as one failure each: a file that could
 * not be loaded, a run without a report, an error between the tests, and runs in which no test passed or failed.
 */
export function countsOfVitest(runs: readonly VitestRun[]): Counts {
  const counts = sum(runs.map(countsOfRun));
  return counts.passed + counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

function countsOfRun({ exitCode, report }: VitestRun): Counts {
  if (report === undefined) {
    return { passed: 0, failed: 1, skipped: 0 };
  }
  const brokenFiles = report.testResults.filter(
    (file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"),
  );
  const failed = report.numFailedTests + brokenFiles.length;
  return {
    passed: report.numPassedTests,
    failed: failed === 0 && exitCode !== 0 ? 1 : failed,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/** Adds counts up. */
export function sum(all: readonly Counts[]): Counts {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const counts of all) {
    total.passed += counts.passed;
    total.failed += counts.failed;
    total.skipped += counts.skipped;
  }
  return total;
}

/** The last line of the test command. */
export function summary(counts: Counts): string {
  const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : "";
  return `${counts.passed} passed, ${counts.failed} failed${skipped}`;
}

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
