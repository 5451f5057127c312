import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { z } from "zod";
import { projectRoot } from "../projectRoot";

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
      message: z.string(),
      assertionResults: z.array(
        z.object({ status: z.string(), fullName: z.string(), failureMessages: z.array(z.string()) }),
      ),
    }),
  ),
});

export type Report = z.infer<typeof report>;

/** One run of vitest. The report is missing if vitest did not write it. */
export interface VitestRun {
  readonly exitCode: number;
  readonly report: Report | undefined;
}

export function readReport(file: string): Report | undefined {
  try {
    return report.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return undefined;
  }
}

/** Also counts as failures: a file that does not load, a missing report, an error between tests, or no test at all. */
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

export function sum(all: readonly Counts[]): Counts {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const counts of all) {
    total.passed += counts.passed;
    total.failed += counts.failed;
    total.skipped += counts.skipped;
  }
  return total;
}

/** Returns the line with the counts, which is the last line of the test command. */
export function summary(counts: Counts): string {
  const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : "";
  return `${counts.passed} passed, ${counts.failed} failed${skipped}`;
}

/** Returns the failed tests and the files that did not load, for the end of the output: CI shows only the end. */
export function failedTests(reports: readonly Report[], limit = 20): string[] {
  const lines = reports
    .flatMap(({ testResults }) => testResults)
    .filter(({ status }) => status === "failed")
    .flatMap(({ name, message, assertionResults }) => {
      const tests = assertionResults.filter(({ status }) => status === "failed");
      const failures = tests.map((test) => `${test.fullName}: ${firstLine(test.failureMessages[0])}`);
      return (tests.length > 0 ? failures : [firstLine(message)]).map(
        (failure) => `FAILED ${relative(projectRoot, name)} > ${failure}`,
      );
    });
  const left = lines.length - limit;
  return [...lines.slice(0, limit), ...(left > 0 ? [`and ${left} more failed`] : [])];
}

function firstLine(text = ""): string {
  return stripVTControlCharacters(text).trim().split("\n", 1)[0] ?? "";
}

export function slowestFiles(reports: readonly Report[], count = 20): string[] {
  const files = reports
    .flatMap(({ testResults }) => testResults)
    .map(({ name, startTime, endTime }) => ({ name, seconds: (endTime - startTime) / 1_000 }))
    .sort((a, b) => b.seconds - a.seconds);
  const lines = files
    .slice(0, count)
    .map(({ name, seconds }) => `${seconds.toFixed(1).padStart(7)}  ${relative(projectRoot, name)}`);
  return [`seconds  test file, the slowest ${lines.length} of ${files.length}`, ...lines];
}
