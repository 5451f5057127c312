import { readFileSync, readlinkSync, statSync } from "node:fs";
import { basename } from "node:path";

interface OsProcessInfo {
  parent: number;
  /** In clock ticks since the machine was booted. */
  began: string;
  /**
   * True if the process has ended, but its parent has not read the exit code. In many containers, PID 1 never reads
   * exit codes.
   */
  hasEnded: boolean;
}

/** Returns undefined if there is no such process, or on a system other than Linux. */
export function readOsProcessInfo(pid: number): OsProcessInfo | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The text is split after the second field, the command in parentheses, because the command may contain blanks. The
    // result begins with the state and the parent. The 20th field is the time of the start.
    const fields = status.slice(status.lastIndexOf(")") + 2).split(" ");
    const [state = "", parent] = fields;
    return { parent: Number(parent), began: fields[19] ?? "", hasEnded: /[ZX]/.test(state) };
  } catch {
    return undefined;
  }
}

/**
 * Returns true if a process belongs to this user and `isProgram` accepts its program's name. Also true if the system
 * does not show these facts.
 */
export function isProcessOfThisUser(pid: number, isProgram: (name: string) => boolean = () => true): boolean {
  const user = shown(() => statSync(`/proc/${pid}`).uid);
  const program = shown(() => basename(readlinkSync(`/proc/${pid}/exe`)));
  // `/proc` shows root for a process whose program file has a capability, as in some installations of Node.js. `getuid`
  // does not. So the user of this process also comes from `/proc`.
  return user === shown(() => statSync("/proc/self").uid) && (program === undefined || isProgram(program));
}

function shown<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
