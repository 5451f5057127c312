import { readFileSync } from "node:fs";
import { z } from "zod";

/** How many tests ended how. */
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
  testResults: z.array(z.object({ status: z.string(), assertionResults: z.array(z.object({ status: z.string() })) })),
});

/**
 * The counts of a vitest run from its JSON report. What fails without being a test counts as one failure each: a
 * file that could not be loaded, a run without a report, a run in which no test ran, an error between the tests.
 */
export function countsOfVitest(reportFile: string, exitCode: number): Counts {
  const parsed = readReport(reportFile);
  if (parsed === undefined) return { passed: 0, failed: 1, skipped: 0 };
  const brokenFiles = parsed.testResults.filter(
    (file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"),
  );
  const failed = parsed.numFailedTests + brokenFiles.length;
  const silentFailure = failed === 0 && (exitCode !== 0 || parsed.numPassedTests === 0);
  return {
    passed: parsed.numPassedTests,
    failed: silentFailure ? 1 : failed,
    skipped: parsed.numPendingTests + parsed.numTodoTests,
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

function readReport(file: string): z.infer<typeof report> | undefined {
  try {
    return report.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return undefined;
  }
}
