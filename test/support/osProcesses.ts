import { readdirSync, readFileSync } from "node:fs";

/** Returns the ids of the processes whose environment contains this text. Linux only. */
export function processesWithEnvironment(text: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => readProc(pid, "environ").includes(text));
}

/** Returns an empty text if the process has ended. */
export function readProc(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return "";
  }
}
