import { once } from "node:events";
import { connect } from "node:net";
import { hostname } from "node:os";
import { basename } from "node:path";
import { isProcessOfThisUser, readOsProcessInfo } from "../support/processes";
import { isPortOfAnotherUser } from "../support/socketUsers";
import { timeLimits } from "../support/time/timeLimits";

export interface OwnerProcess {
  host: string;
  pid: number;
  /** The process's start time, in the system's own unit. A later process may have the same pid, but not this time. */
  began: string;
  /** The engine's address (`host:port`), or its process in the format of {@link engineProcessFingerprint}. Empty if unknown. */
  engine: string;
}

export function identifyThisProcess(engine: string | undefined): OwnerProcess {
  return {
    host: hostname(),
    pid: process.pid,
    began: readOsProcessInfo(process.pid)?.began ?? "",
    engine: engine ?? "",
  };
}

export function parseOwnerProcess(value: unknown): OwnerProcess | undefined {
  if (typeof value !== "object" || value === null) {
    return undefined;
  }
  const { host, pid, began, engine } = value as Record<string, unknown>;
  // A pid of zero or below would identify a group of processes, so it is refused.
  const isOne = Number.isInteger(pid) && Number(pid) > 0;
  return typeof host === "string" && isOne && typeof began === "string" && typeof engine === "string"
    ? { host, pid: Number(pid), began, engine }
    : undefined;
}

/** Returns true while the process and its engine run. Without the engine, the process's results are lost. */
export async function areProcessAndEngineRunning(owner: OwnerProcess): Promise<boolean> {
  const [, pid, began = ""] = /^process (\d+) (\d*)$/.exec(owner.engine) ?? [];
  const hasEngine = pid === undefined ? isListening(owner.engine) : isThere({ ...owner, pid: Number(pid), began });
  return isRunning(owner) && (await hasEngine);
}

export function engineProcessFingerprint(pid: number): string {
  return `process ${pid} ${readOsProcessInfo(pid)?.began ?? ""}`;
}

/** The process that listens must belong to this user: after the engine's end, another user may get its port. */
export async function isListening(address: string): Promise<boolean> {
  const [, host, port] = /^(127\.0\.0\.1|localhost|\[::1\]):(\d{1,5})$/.exec(address) ?? [];
  if (host === undefined || Number(port) > 65_535) {
    return false;
  }
  return (await accepts(host.replace(/[[\]]/g, ""), Number(port))) && !(await isPortOfAnotherUser(Number(port)));
}

async function accepts(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port });
  try {
    await once(socket, "connect", { signal: AbortSignal.timeout(timeLimits.localEngine) });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/**
 * Returns false for an owner on another machine, because this machine cannot see that process. Returns false for
 * process 1, which no engine starts, and for a process that is certainly no provider of this user.
 */
export function isRunning(owner: OwnerProcess): boolean {
  return (owner.pid !== 1 || process.pid === 1) && isThere(owner, isProvider);
}

/** Providers run in different programs. For example, the archives for Linux start them by the loader `ld-linux-…`. */
function isProvider(program: string): boolean {
  return (
    program === basename(process.execPath) ||
    /^(node|ld-linux-|pulumi-resource-docs-platform|terraform-provider-docsplatform)/.test(program)
  );
}

function isThere({ host, pid, began }: OwnerProcess, isProgram?: (name: string) => boolean): boolean {
  if (host !== hostname()) {
    return false;
  }
  const record = readOsProcessInfo(pid);
  return record === undefined
    ? isSignalled(pid)
    : !record.hasEnded && record.began === began && isProcessOfThisUser(pid, isProgram);
}

/** Returns false for a process of another user, because the system refuses a signal to it. */
function isSignalled(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
