import { descendants } from "../engine/processes";

/** The CPU and memory of all processes below this one together. */
export interface Usage {
  /** The CPU time, in seconds. */
  cpu: number;
  /** The highest sum of their resident memory, in bytes. Shared memory counts for each process. */
  memory: number;
}

/**
 * How often the processes are measured, in milliseconds. CPU time after the last measurement of a process is not seen.
 */
const interval = 50;

/** Watches all processes that this process starts from now on. */
export function watchUsage(): { stop(): Usage } {
  const cpu = new Map<string, number>();
  let memory = 0;
  const others = new Set(descendants(process.pid).map(({ pid }) => pid));
  const look = () => {
    const seen = descendants(process.pid).filter(({ pid }) => !others.has(pid));
    for (const each of seen) {
      cpu.set(`${each.pid} ${each.startTime}`, each.cpu);
    }
    memory = Math.max(
      memory,
      seen.reduce((sum, each) => sum + each.memory, 0),
    );
  };
  const timer = setInterval(look, interval);
  return {
    stop() {
      clearInterval(timer);
      look();
      return { cpu: [...cpu.values()].reduce((sum, seconds) => sum + seconds, 0), memory };
    },
  };
}
