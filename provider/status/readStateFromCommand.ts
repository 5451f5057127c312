import { printable } from "../support/printable";
import { runExternalProgram } from "../support/runExternalProgram";
import { timeLimits } from "../support/time/timeLimits";
import { UnreadableStateError } from "./stackSnapshot";

/** The largest state that a command may print, in bytes. */
export const largestState = 512 * 1024 * 1024;

/** If the command fails, the error contains `where`, the advice to the user. */
export async function readStateFromCommand<T>(
  command: readonly string[],
  folder: string,
  where: string,
  parse: (printed: string) => T | undefined,
): Promise<T> {
  const options = { limit: timeLimits.stackExport, maxOutput: largestState, cwd: folder };
  const { stdout, stderr, problem } = await runExternalProgram(command, options);
  const name = `\`${printable(command.join(" "))}\``;
  if (problem !== undefined) {
    throw new UnreadableStateError(`${name} ${problem}: ${printable(stderr, 500)}`, where);
  }
  const state = parse(stdout);
  if (state === undefined) {
    throw new UnreadableStateError(`${name} has printed no state`, "run it by hand.");
  }
  return state;
}
