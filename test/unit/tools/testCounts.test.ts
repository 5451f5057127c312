import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { projectRoot } from "../../../tools/projectRoot";
import { countsOfVitest, failedTests, readReport } from "../../../tools/test/report";
import { folderOfFile } from "../../support/temporaryFolder";

const passedTest = { status: "passed", fullName: "two", failureMessages: [] };
const failedTest = {
  ...{ status: "failed", fullName: "a rule holds" },
  failureMessages: ["expected \u001b[31m1\u001b[39m to be 2\n    at a.test.ts"],
};
const file = { name: join(projectRoot, "a.test.ts"), startTime: 0, endTime: 1, message: "" };
const failing = { ...file, status: "failed", assertionResults: [passedTest, failedTest] };
const broken = { ...file, status: "failed", message: "Cannot find module\nmore", assertionResults: [] };
const clear = { ...file, status: "passed", assertionResults: [passedTest] };

const clean = { numPassedTests: 3, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: [clear] };
const bad = { ...clean, numFailedTests: 1, testResults: [failing, clear, broken] };
const allSkipped = { ...clean, numPassedTests: 0, numPendingTests: 4 };

const folder = folderOfFile();
let count = 0;

function runOf(content: object | undefined, exitCode: number) {
  const path = join(folder, `${count++}.json`);
  if (content !== undefined) {
    writeFileSync(path, JSON.stringify(content));
  }
  return { report: readReport(path), exitCode };
}

it.each([
  ["a test failed and a file could not be loaded", [runOf(bad, 1)], { passed: 3, failed: 2, skipped: 0 }],
  ["vitest failed though no test did", [runOf(clean, 1)], { passed: 3, failed: 1, skipped: 0 }],
  ["no test ran", [runOf(allSkipped, 0)], { passed: 0, failed: 1, skipped: 4 }],
  ["there is no report", [runOf(undefined, 0)], { passed: 0, failed: 1, skipped: 0 }],
  ["all tests of one phase are skipped", [runOf(clean, 0), runOf(allSkipped, 0)], { passed: 3, failed: 0, skipped: 4 }],
])("the counts where %s", (_, runs, counts) => {
  expect(countsOfVitest(runs)).toEqual(counts);
});

it("a failure is reported by file, full name and the first line of its message, as is a file that cannot be loaded", () => {
  const { report } = runOf(bad, 1);
  expect(report && failedTests([report])).toEqual([
    "FAILED a.test.ts > a rule holds: expected 1 to be 2",
    "FAILED a.test.ts > Cannot find module",
  ]);
});
