import { type ChildProcess, spawn } from "node:child_process";
import { collectOutput } from "./startProcess";

export interface ToolOutcome {
  readonly ok: boolean;
  readonly stdout: string;
  /** Standard output and standard error, in the order of their arrival. */
  readonly output: string;
  /** Why the tool failed, in one line; empty after a success. */
  readonly problem: string;
}

export interface RunOptions {
  readonly cwd: string;
  /** Added to the environment; `undefined` removes a variable. */
  readonly env?: NodeJS.ProcessEnv;
  /** Milliseconds; by default there is no limit. */
  readonly timeLimit?: number;
  /** Ends the run and everything that it started. */
  readonly signal?: AbortSignal;
}

/** A tool that does not end on request is killed after this time. */
const grace = 3_000;
/**
 * A process that the tool leaves behind may keep the output open. The run waits for it only this long; milliseconds.
 */
const outputGrace = 1_000;

/**
 * Runs a tool and collects its output. A failure is returned, not thrown. Only an abort throws, with the signal's
 * reason, and only after the tool has ended.
 */
export async function runTool(file: string, args: readonly string[], options: RunOptions): Promise<ToolOutcome> {
  options.signal?.throwIfAborted();
  // A separate process group, so that compilers and shell scripts of the tool end with it.
  const child = spawn(file, args, {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const text = collectOutput(child);
  const limit = options.timeLimit === undefined ? undefined : AbortSignal.timeout(options.timeLimit);
  const stopped = AbortSignal.any([options.signal, limit].filter((signal) => signal !== undefined));
  let kill: NodeJS.Timeout | undefined;
  const stop = () => {
    signalGroup(child, "SIGINT");
    kill = setTimeout(() => signalGroup(child, "SIGKILL"), grace);
  };
  const lastResort = () => signalGroup(child, "SIGKILL");
  stopped.addEventListener("abort", stop);
  process.once("exit", lastResort);
  const ended = await untilEnd(child);
  stopped.removeEventListener("abort", stop);
  process.removeListener("exit", lastResort);
  if (kill !== undefined) {
    clearTimeout(kill);
    signalGroup(child, "SIGKILL");
  }
  options.signal?.throwIfAborted();
  const problem = limit?.aborted
    ? `no answer within ${(options.timeLimit ?? 0) / 1000} s`
    : problemOf(ended, text.output);
  return { ok: problem === "", stdout: text.stdout, output: text.output, problem };
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) {
    return;
  }
  try {
    process.kill(-child.pid, signal);
  } catch {
    // All processes of the group have already ended.
  }
}

type End = { readonly error: Error } | { readonly code: number | null; readonly signal: NodeJS.Signals | null };

function untilEnd(child: ChildProcess): Promise<End> {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve({ error }));
    child.once("close", (code, signal) => resolve({ code, signal }));
    child.once("exit", (code, signal) => setTimeout(() => resolve({ code, signal }), outputGrace).unref());
  });
}

function problemOf(end: End, output: string): string {
  if ("error" in end) {
    return "code" in end.error && end.error.code === "ENOENT" ? "not found" : end.error.message;
  }
  if (end.code === 0) {
    return "";
  }
  const how = end.code === null ? `ended by ${end.signal}` : `exit code ${end.code}`;
  const last = lastLines(output, 1);
  return last === "" ? how : `${how}: ${last}`;
}

/** Returns the last useful lines: without blank lines and npm's notices. */
export function lastLines(output: string, count: number): string {
  const lines = output.split(/\r?\n/).map((line) => line.trimEnd());
  const telling = lines.filter((line) => line !== "" && !/^npm (notice|warn)\b/i.test(line));
  return telling.slice(-count).join("\n");
}

/** Runs a Python module in isolated mode: no variable and no folder of the user changes what Python loads. */
export function runModule(python: string, args: readonly string[], options: RunOptions): Promise<ToolOutcome> {
  return runTool(python, ["-I", "-m", ...args], options);
}
