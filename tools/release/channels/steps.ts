import { readFileSync, writeFileSync } from "node:fs";
import { type RunOptions, runTool } from "../../processes/runTool";

/**
 * Runs a command that must succeed.
 * @returns the command's standard output.
 * @throws Error with the command's whole output, if it fails.
 */
export async function mustSucceed(command: readonly string[], options: RunOptions): Promise<string> {
  const [file = "", ...args] = command;
  const { ok, stdout, output, problem } = await runTool(file, args, options);
  if (!ok) {
    throw new Error(`${command.join(" ")}: ${problem}\n${output}`);
  }
  return stdout;
}

/**
 * Runs a command that must fail.
 * @param what the description of the fault that the command must find.
 * @param words matches the expected error in the output.
 * @returns the description of the fault.
 * @throws Error if the command succeeds, or if its output does not match.
 */
export async function mustFail(
  what: string,
  words: RegExp,
  command: readonly string[],
  options: RunOptions,
): Promise<string> {
  const [file = "", ...args] = command;
  const { ok, output } = await runTool(file, args, options);
  // Terraform wraps the lines of an error, and draws a frame around them. Both are removed before the comparison.
  if (ok || !words.test(output.replace(/[\s│╷╵]+/g, " "))) {
    throw new Error(`${what}: ${ok ? "was not refused" : "was refused in other words"}\n${output}`);
  }
  return what;
}

/** Changes one byte of a file, as a disk fault or an attacker could. */
export function changeByte(file: string): void {
  const content = readFileSync(file);
  content[1_000] = ~(content[1_000] ?? 0);
  writeFileSync(file, content);
}
