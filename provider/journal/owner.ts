import { connect } from "node:net";
import { hostname } from "node:os";
import { systemRecord } from "../support/processes";
import { timeLimits } from "../support/time/timeLimits";

/** The process that started something, and the engine that it works for. */
export interface Owner {
  host: string;
  pid: number;
  /** When the process began, as the system counts it. A pid alone could be reused by another process. */
  began: string;
  /**
   * The engine's address, `host:port`, or its process, as {@link processEngine} writes it; empty if the engine is not
   * known.
   */
  engine: string;
}

export function thisProcess(engine: string | undefined): Owner {
  return { host: hostname(), pid: process.pid, began: systemRecord(process.pid)?.began ?? "", engine: engine ?? "" };
}

export function parseOwner(value: unknown): Owner | undefined {
  if (typeof value !== "object" || value === null) {
    return undefined;
  }
  const { host, pid, began, engine } = value as Record<string, unknown>;
  // A pid of zero or below means a group of processes.
  const isOne = Number.isInteger(pid) && Number(pid) > 0;
  return typeof host === "string" && isOne && typeof began === "string" && typeof engine === "string"
    ? { host, pid: Number(pid), began, engine }
    : undefined;
}

/**
 * Returns true if the owner is still active: its process and its engine both run. The process of a killed engine runs a
 * moment longer, but its results are lost. An owner on another machine, whose folder was copied here, counts as gone.
 */
export async function isAtWork(owner: Owner): Promise<boolean> {
  const [, pid, began = ""] = /^process (\d+) (\d*)$/.exec(owner.engine) ?? [];
  const isThere = pid === undefined ? isListening(owner.engine) : isRunning({ ...owner, pid: Number(pid), began });
  return isRunning(owner) && (await isThere);
}

/** Returns the text for an engine that listens on no address, for an {@link Owner}. */
export function processEngine(pid: number): string {
  return `process ${pid} ${systemRecord(pid)?.began ?? ""}`;
}

/** Returns true if a server accepts connections at this address of this machine. */
export function isListening(address: string): Promise<boolean> {
  const [, host, port] = /^(127\.0\.0\.1|localhost|\[::1\]):(\d{1,5})$/.exec(address) ?? [];
  if (host === undefined || Number(port) > 65_535) {
    return Promise.resolve(false);
  }
  return new Promise((resolve) => {
    const socket = connect({ host: host.replace(/[[\]]/g, ""), port: Number(port) });
    const answer = (listening: boolean) => {
      socket.destroy();
      resolve(listening);
    };
    socket.setTimeout(timeLimits.localEngine, () => answer(false));
    socket.once("connect", () => answer(true));
    socket.once("error", () => answer(false));
  });
}

/**
 * Returns true if the owner's process runs. An owner on another machine, whose entry was copied here, counts as gone.
 */
export function isRunning({ host, pid, began }: Owner): boolean {
  if (host !== hostname()) {
    return false;
  }
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
  const record = systemRecord(pid);
  return record === undefined || (!record.hasEnded && (began === "" || record.began === began));
}
