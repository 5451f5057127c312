import { readFileSync, readlinkSync, statSync } from "node:fs";
import { basename } from "node:path";

interface SystemRecord {
  parent: number;
  /** When the process began, in clock ticks since the machine was booted. */
  began: string;
  /**
   * True if the process has ended, but its parent has not read its exit code. In many containers, PID 1 never reads
   * exit codes.
   */
  hasEnded: boolean;
}

/** @returns undefined if there is no such process, or if the system does not show it (only Linux shows it). */
export function readProcessRecord(pid: number): SystemRecord | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the command in parentheses, which may contain blanks. So the text is split after the command.
    // The third field is the state, the fourth field is the parent, and the 22nd field is the time of the process's
    // start.
    const fields = status.slice(status.lastIndexOf(")") + 2).split(" ");
    const [state = "", parent] = fields;
    return { parent: Number(parent), began: fields[19] ?? "", hasEnded: /[ZX]/.test(state) };
  } catch {
    return undefined;
  }
}

/**
 * Returns true if a process belongs to this user, and `isProgram` accepts the name of its program. If the system does
 * not show these facts, the result is also true. Only Linux shows them.
 */
export function isOwnProcess(pid: number, isProgram: (name: string) => boolean = () => true): boolean {
  const user = shown(() => statSync(`/proc/${pid}`).uid);
  const program = shown(() => basename(readlinkSync(`/proc/${pid}/exe`)));
  // `/proc/<pid>` is compared with `/proc/self`, and not with `getuid`. If the program file has a capability, as in
  // some installations of Node.js, Linux shows root as the owner of both folders, although `getuid` returns this user.
  return user === shown(() => statSync("/proc/self").uid) && (program === undefined || isProgram(program));
}

function shown<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
