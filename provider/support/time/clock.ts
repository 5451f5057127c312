import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { sleep } from "../abort";

export interface Clock {
  /** An id of the machine that the clock belongs to. It does not show the machine's name. */
  readonly machine: string;
  now(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason as soon as the signal aborts. */
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

/** The id of this boot (Linux), which all containers of a machine share, else the machine's name. */
function bootOf(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8");
  } catch {
    return hostname();
  }
}
