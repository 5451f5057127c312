import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { sleep } from "./abort";

/** Time as the provider sees it; tests and benchmarks bring their own. */
export interface Clock {
  /** Tells the clock of one machine from another's, and names no machine. */
  readonly machine: string;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason as soon as it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

let machine: string | undefined;

export const systemClock: Clock = {
  get machine() {
    machine ??= createHash("sha256").update(bootOf()).digest("hex").slice(0, 12);
    return machine;
  },
  now: () => Date.now(),
  sleep,
};

/** What containers on one machine, which have one clock, have in common, and no other machine has (Linux); else its name. */
function bootOf(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8");
  } catch {
    return hostname();
  }
}
