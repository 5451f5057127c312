import { onTestFailed, type RunnerTestCase, TestRunner } from "vitest";

let last: { test: RunnerTestCase; text: string } | undefined;

/**
 * Prints the output of the last command of a test if the test fails, because a wrong exit code does not tell why the
 * command failed. Does nothing in a hook, which belongs to no test.
 */
export function printOnFailure(command: string, output: string): void {
  const test = TestRunner.getCurrentTest<RunnerTestCase | undefined>();
  if (test === undefined) {
    return;
  }
  if (last?.test !== test) {
    onTestFailed(() => console.error(last?.text));
  }
  last = { test, text: `\n== ${command}\n${output}` };
}
