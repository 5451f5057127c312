import { descendants } from "../engine/processes";

/** The CPU and memory of all processes below this one together. */
export interface Usage {
  /** Seconds of CPU. */
  cpu: number;
  /** The highest sum of their resident memory, in bytes. What they share is counted for each. */
  memory: number;
}

/** How often the processes are looked at, in milliseconds: what one does after its last look is not seen. */
const interval = 50;

/** Watches all that this process starts from now on. */
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
