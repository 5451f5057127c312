import { readdirSync, readFileSync } from "node:fs";

/** A process as Linux describes it. On other systems no process is found. */
export interface ProcessStat {
  pid: number;
  parent: number;
  /** The start time, in ticks since the machine started. Together with the pid it identifies the process. */
  startTime: number;
  /** The CPU time of all threads, in seconds. */
  cpu: number;
  /** The resident memory, in bytes. */
  memory: number;
}

/** Linux counts times in hundredths of a second, and memory in pages. */
const ticks = 100;
const pageSize = 4_096;

/** Returns the descendants of a process: its children, their children, and so on. */
export function descendants(root: number): ProcessStat[] {
  const children = new Map<number, ProcessStat[]>();
  for (const each of entries("/proc").flatMap(statOf)) {
    children.set(each.parent, [...(children.get(each.parent) ?? []), each]);
  }
  const found = [...(children.get(root) ?? [])];
  for (const { pid } of found) {
    found.push(...(children.get(pid) ?? []));
  }
  return found;
}

function statOf(name: string): ProcessStat[] {
  const text = /^\d+$/.test(name) ? readOrEmpty(`/proc/${name}/stat`) : "";
  if (text === "") {
    return [];
  }
  // The program's name, in brackets, may hold blanks.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const field = (index: number) => Number(fields[index]);
  const cpu = (field(11) + field(12)) / ticks;
  return [{ pid: Number(name), parent: field(1), startTime: field(19), cpu, memory: field(21) * pageSize }];
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

export function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
