import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { collectOutput, type Written } from "./collectOutput";
import { noteEngineRun } from "./engineRuns";

/** How a process ended, and what it wrote. */
export interface Ended extends Written {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A process that runs. */
export interface Started {
  child: ChildProcess;
  /** Grows while the process runs. */
  written: Readonly<Written>;
  /** Rejects where the process could not be started. */
  ended: Promise<Ended>;
}

/** Starts a process whose output is collected, and whose input is empty. */
export function startProcess(file: string, args: readonly string[], options: SpawnOptions): Started {
  noteEngineRun(file, args);
  const child = spawn(file, args, { stdio: ["ignore", "pipe", "pipe"], ...options });
  const written = collectOutput(child);
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal, ...written }));
  return { child, written, ended };
}
