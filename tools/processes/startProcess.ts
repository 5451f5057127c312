import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";

export interface CollectedOutput {
  stdout: string;
  stderr: string;
  /** Standard output and standard error, in the order of their arrival. */
  output: string;
}

export function collectOutput(child: ChildProcess): CollectedOutput {
  const written: CollectedOutput = { stdout: "", stderr: "", output: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (chunk: string) => {
      written[name] += chunk;
      written.output += chunk;
    });
  }
  return written;
}

export interface EndedProcess extends CollectedOutput {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface StartedProcess {
  child: ChildProcess;
  /** The output so far. It grows while the process runs. */
  written: Readonly<CollectedOutput>;
  /** Resolves when the process has ended. Rejects if it could not be started. */
  ended: Promise<EndedProcess>;
}

export function startProcess(file: string, args: readonly string[], options: SpawnOptions): StartedProcess {
  const child = spawn(file, args, { stdio: ["ignore", "pipe", "pipe"], ...options });
  const written = collectOutput(child);
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal, ...written }));
  return { child, written, ended };
}
