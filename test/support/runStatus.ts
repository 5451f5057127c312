import { join } from "node:path";
import { startProcess } from "../../tools/processes/startProcess";
import { projectRoot } from "../../tools/projectRoot";
import { laterClock } from "./programFolder";

/** Runs the `status` command on a stack. By default, it is the command of the built package. */
export async function runStatus(
  { folder, environment }: { folder: string; environment: NodeJS.ProcessEnv },
  {
    executable = join(projectRoot, "dist", "plugin", "status.js"),
    flags = [],
    ahead = 0,
  }: { executable?: string; flags?: readonly string[]; ahead?: number } = {},
): Promise<{ code: number | null; stdout: string; output: string }> {
  const command = ["status", "--cwd", folder, ...flags];
  const env = { ...process.env, ...environment, ...laterClock(ahead) };
  return startProcess(executable, command, { env }).ended;
}
