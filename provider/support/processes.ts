import { createHash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";

/** The record that the system keeps of a process. */
interface SystemRecord {
  parent: number;
  /** When the process began, in clock ticks since the machine was booted. */
  began: string;
  /** True if it has ended, and its parent has not asked for its exit code. PID 1 of many containers never asks. */
  hasEnded: boolean;
}

/** @returns undefined if there is no such process, or the system does not show it (only Linux does). */
export function systemRecord(pid: number): SystemRecord | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the command in parentheses, which may contain blanks. The third field is the state, the fourth
    // field is the parent, and the 22nd field is the time when the process began.
    const fields = status.slice(status.lastIndexOf(")") + 2).split(" ");
    const [state = "", parent] = fields;
    return { parent: Number(parent), began: fields[19] ?? "", hasEnded: /[ZX]/.test(state) };
  } catch {
    return undefined;
  }
}

/**
 * Returns a name of a process that shows nothing of its machine, for places that others can read. No other process has
 * this name.
 * @returns an empty text if the system shows no processes, or the process has ended.
 */
export function processName(pid = process.pid): string {
  const [space, record] = [processSpace(), systemRecord(pid)];
  return space === undefined || record === undefined || record.hasEnded ? "" : `${space} ${pid} ${record.began}`;
}

/** Returns true if this machine shows that the process of this name has ended. It shows nothing of other machines. */
export function hasEnded(name: string): boolean {
  const [space = "", pid] = name.split(" ");
  return space === processSpace() && processName(Number(pid)) !== name;
}

/** Processes see each other within one boot of a machine, and within one container. */
function processSpace(): string | undefined {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8");
    const all = boot + readlinkSync("/proc/self/ns/pid");
    return createHash("sha256").update(all).digest("hex").slice(0, 12);
  } catch {
    return undefined;
  }
}
