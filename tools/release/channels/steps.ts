import { readFileSync, writeFileSync } from "node:fs";
import { type RunOptions, runTool } from "../../processes/runTool";

/** Returns the standard output. If the command fails, the error contains the whole output. */
export async function mustSucceed(command: readonly string[], options: RunOptions): Promise<string> {
  const [file = "", ...args] = command;
  const { ok, stdout, output, problem } = await runTool(file, args, options);
  if (!ok) {
    throw new Error(`${command.join(" ")}: ${problem}\n${output}`);
  }
  return stdout;
}

/** Runs a command that must fail with an error that matches `words`. Returns `what`, the description of the fault. */
export async function mustFail(
  what: string,
  words: RegExp,
  command: readonly string[],
  options: RunOptions,
): Promise<string> {
  const [file = "", ...args] = command;
  const { ok, output } = await runTool(file, args, options);
  // Terraform wraps the lines of an error, and draws a frame around them.
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
