import { readFileSync, writeFileSync } from "node:fs";
import { type RunOptions, runTool } from "../../processes/runTool";

/**
 * Runs a command that must succeed.
 * @returns its standard output.
 * @throws Error with its whole output.
 */
export async function succeeds(command: readonly string[], options: RunOptions): Promise<string> {
  const [file = "", ...args] = command;
  const { ok, stdout, output, problem } = await runTool(file, args, options);
  if (!ok) {
    throw new Error(`${command.join(" ")}: ${problem}\n${output}`);
  }
  return stdout;
}

/**
 * Runs a command that must fail.
 * @param what the fault.
 * @param words the words that the output must contain.
 * @returns the fault.
 */
export async function refuses(
  what: string,
  words: RegExp,
  command: readonly string[],
  options: RunOptions,
): Promise<string> {
  const [file = "", ...args] = command;
  const { ok, output } = await runTool(file, args, options);
  // Terraform wraps its lines, and draws a frame around them.
  if (ok || !words.test(output.replace(/[\s│╷╵]+/g, " "))) {
    throw new Error(`${what}: ${ok ? "was not refused" : "was refused in other words"}\n${output}`);
  }
  return what;
}

/** Changes one byte of a file, like a disk fault or a forger. */
export function changeByte(file: string): void {
  const content = readFileSync(file);
  content[1_000] = ~(content[1_000] ?? 0);
  writeFileSync(file, content);
}
