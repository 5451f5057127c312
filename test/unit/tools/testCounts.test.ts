import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { countsOfVitest, readReport, sum, summary } from "../../../tools/test/report";

const clean = { numPassedTests: 3, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: [] };
const timed = { name: "a.test.ts", startTime: 0, endTime: 1 };

describe("the counts of vitest runs", () => {
  it("are vitest's own", () => {
    const report = reportOf({ ...clean, numFailedTests: 2, numPendingTests: 1, numTodoTests: 1 });
    expect(countsOfVitest([{ report, exitCode: 1 }])).toEqual({ passed: 3, failed: 2, skipped: 2 });
  });

  it("count a file that cannot be loaded as a failure", () => {
    const broken = { ...timed, status: "failed", assertionResults: [] };
    const failing = { ...timed, status: "failed", assertionResults: [{ status: "failed" }] };
    const report = reportOf({ ...clean, numFailedTests: 1, testResults: [broken, failing] });
    expect(countsOfVitest([{ report, exitCode: 1 }])).toMatchObject({ failed: 2 });
  });

  it.each([
    ["vitest failed though no test did", clean, 1],
    ["no test ran", { ...clean, numPassedTests: 0, numPendingTests: 4 }, 0],
    ["there is no report", undefined, 0],
  ])("hold a failure when %s", (_, content, exitCode) => {
    expect(countsOfVitest([{ report: reportOf(content), exitCode }]).failed).toBe(1);
  });

  it("are added up over the phases, and a phase in which all tests are skipped is no failure", () => {
    const skipped = reportOf({ ...clean, numPassedTests: 0, numPendingTests: 4 });
    const runs = [reportOf(clean), skipped].map((report) => ({ report, exitCode: 0 }));
    expect(countsOfVitest(runs)).toEqual({ passed: 3, failed: 0, skipped: 4 });
    expect(countsOfVitest([...runs, { report: undefined, exitCode: 1 }])).toMatchObject({ passed: 3, failed: 1 });
  });

  it("are one line, with the skipped ones when there are any", () => {
    const one = { passed: 1, failed: 0, skipped: 0 };
    expect(summary(sum([one, one]))).toBe("2 passed, 0 failed");
    expect(summary(sum([one, { passed: 0, failed: 2, skipped: 3 }]))).toBe("1 passed, 2 failed, 3 skipped");
  });
});

function reportOf(content: unknown): ReturnType<typeof readReport> {
  const folder = mkdtempSync(join(tmpdir(), "test-counts-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "report.json");
  if (content !== undefined) {
    writeFileSync(file, JSON.stringify(content));
  }
  return readReport(file);
}
