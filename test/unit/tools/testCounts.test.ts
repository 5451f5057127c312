import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectRoot } from "../../../tools/projectRoot";
import { countsOfVitest, failedTests, readReport } from "../../../tools/test/report";
import { temporaryFolder } from "../../support/temporaryFolder";

const clean = { numPassedTests: 3, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: [] };
const timed = { name: join(projectRoot, "a.test.ts"), startTime: 0, endTime: 1, message: "" };

describe("the counts of vitest runs", () => {
  it("count a file that cannot be loaded as a failure", () => {
    const broken = { ...timed, status: "failed", assertionResults: [] };
    const failing = { ...timed, status: "failed", assertionResults: [failedTest("one")] };
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
});

describe("the tests that failed", () => {
  it("are told by file, full name and the first line of the message, as are files that cannot be loaded", () => {
    const passed = { status: "passed", fullName: "two", failureMessages: [] };
    const failing = { ...timed, status: "failed", assertionResults: [passed, failedTest("a rule holds")] };
    const broken = { ...timed, status: "failed", message: "Cannot find module\nmore", assertionResults: [] };
    const clear = { ...timed, status: "passed", assertionResults: [passed] };
    const report = reportOf({ ...clean, testResults: [failing, clear, broken] });
    expect(report && failedTests([report])).toEqual([
      "FAILED a.test.ts > a rule holds: expected 1 to be 2",
      "FAILED a.test.ts > Cannot find module",
    ]);
  });
});

function failedTest(fullName: string) {
  return { status: "failed", fullName, failureMessages: ["expected \u001b[31m1\u001b[39m to be 2\n    at a.test.ts"] };
}

function reportOf(content: unknown): ReturnType<typeof readReport> {
  const folder = temporaryFolder();
  const file = join(folder, "report.json");
  if (content !== undefined) {
    writeFileSync(file, JSON.stringify(content));
  }
  return readReport(file);
}
