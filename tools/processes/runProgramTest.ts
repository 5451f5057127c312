import { getTool } from "../toolchain/getTool";
import { type Ended, startProcess } from "./startProcess";

/** One prepared program, for the engine's own lifecycle test. */
export interface ProgramTest {
  /** Holds the program; it is copied. */
  dir: string;
  /** Of every command. */
  environment: Record<string, string>;
  /** What a package manager would install, and the plugin, by the name in the copy. */
  links: Record<string, string>;
  /** The outputs that the stack must have. */
  outputs: readonly string[];
}

/**
 * Runs ProgramTest of the engine's module on a program: preview, update, export and import, empty preview and update,
 * refresh, empty preview, destroy.
 */
export async function runProgramTest({ environment, ...test }: ProgramTest): Promise<Ended> {
  const executable = await getTool("program-test");
  const env = { ...process.env, ...environment, PROGRAM_TEST: JSON.stringify(test) };
  return startProcess(executable, ["-test.v"], { cwd: test.dir, env }).ended;
}
