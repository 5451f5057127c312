import { readdirSync, readFileSync } from "node:fs";

/** Bytes. */
export type Memory = number;

/** How often the process is looked for, in milliseconds; the system itself keeps the highest value. */
const interval = 100;

/**
 * Watches the process of the dynamic provider that a `pulumi` command starts. Where the system does not show processes as
 * files (anything but Linux) it sees nothing.
 */
export function watchProvider(command: number): { stop(): Memory | undefined } {
  let highest: Memory | undefined;
  const timer = setInterval(() => {
    for (const pid of providersOf(command)) {
      const kilobytes = /^VmHWM:\s+(\d+) kB/m.exec(read(`/proc/${pid}/status`))?.[1];
      highest = Math.max(highest ?? 0, Number(kilobytes ?? 0) * 1_024);
    }
  }, interval);
  return {
    stop() {
      clearInterval(timer);
      return highest;
    },
  };
}

function providersOf(command: number): number[] {
  return descendants(command).filter((pid) => /[/]dynamic-provider[/\0]/.test(read(`/proc/${pid}/cmdline`)));
}

function descendants(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of entries("/proc").filter((entry) => /^\d+$/.test(entry))) {
    const status = read(`/proc/${name}/stat`);
    const parent = Number(status.slice(status.lastIndexOf(")") + 2).split(" ")[1]);
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const found = [root];
  for (const pid of found) {
    found.push(...(children.get(pid) ?? []));
  }
  return found;
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
