import { descendants, readOrEmpty } from "./processes";

/** Bytes. */
export type Memory = number;

/** How often the process is looked for, in milliseconds. The system itself keeps the highest value. */
const interval = 100;

/**
 * Watches the process of the dynamic provider that a `pulumi` command starts. It sees nothing on systems that do not
 * show processes as files, which is every system but Linux.
 */
export function watchProvider(command: number): { stop(): Memory | undefined } {
  let highest: Memory | undefined;
  const timer = setInterval(() => {
    for (const pid of providersOf(command)) {
      const kilobytes = /^VmHWM:\s+(\d+) kB/m.exec(readOrEmpty(`/proc/${pid}/status`))?.[1];
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
  const pids = descendants(command).map(({ pid }) => pid);
  return pids.filter((pid) => /[/]dynamic-provider[/\0]/.test(readOrEmpty(`/proc/${pid}/cmdline`)));
}
