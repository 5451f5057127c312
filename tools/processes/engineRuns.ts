import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";

/**
 * The environment variable with the file that gets a line for each start of the Pulumi engine. Without it nothing is
 * recorded.
 */
export const engineRunsVariable = "ENGINE_RUNS";
/** The environment variable with the test file that runs in this process, or that started it. */
export const testFileVariable = "TEST_FILE";

/** The commands of Pulumi that start its engine. The others only read or write the state. */
const operations = ["up", "preview", "refresh", "destroy", "import"];

/** Records that a process starts the engine, if it does. */
export function noteEngineRun(file: string, args: readonly string[]): void {
  const { [engineRunsVariable]: log, [testFileVariable]: testFile = "" } = process.env;
  const command = args.find((arg) => !arg.startsWith("-")) ?? "";
  if (log && basename(file) === "pulumi" && operations.includes(command)) {
    appendFileSync(log, `${testFile}\n`);
  }
}

/** The test file of each start of the engine. */
export function readEngineRuns(log: string): string[] {
  return existsSync(log) ? readFileSync(log, "utf8").trimEnd().split("\n") : [];
}
