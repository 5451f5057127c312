import { type ChildProcess, spawn } from "node:child_process";
import { collectOutput } from "./startProcess";

export interface ToolOutcome {
  readonly ok: boolean;
  readonly stdout: string;
  /** Standard output and standard error, in the order of their arrival. */
  readonly output: string;
  /** The reason why the tool failed, in one line. It is empty after a success. */
  readonly problem: string;
}

export interface RunOptions {
  readonly cwd: string;
  /** These variables are added to the environment. The value `undefined` removes a variable. */
  readonly env?: NodeJS.ProcessEnv;
  /** The time limit in milliseconds. By default there is none. */
  readonly timeLimit?: number;
  /** Ends the tool and every process that it has started. */
  readonly signal?: AbortSignal;
}

/** The time in milliseconds from SIGINT until the tool is killed. */
const grace = 3_000;
/** How long to wait for more output after the tool's end, in milliseconds. A child may still keep the output open. */
const outputGrace = 1_000;

/** A failure of the tool is a result and not an error. An abort ends the tool, and throws the signal's reason. */
export async function runTool(file: string, args: readonly string[], options: RunOptions): Promise<ToolOutcome> {
  options.signal?.throwIfAborted();
  // The tool gets a separate process group, so that its compilers and shell scripts can be ended together with it.
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
    // The call fails if all processes of the group have ended already.
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

/** Returns the last lines of an output, without blank lines and npm's notices. */
export function lastLines(output: string, count: number): string {
  const lines = output.split(/\r?\n/).map((line) => line.trimEnd());
  const telling = lines.filter((line) => line !== "" && !/^npm (notice|warn)\b/i.test(line));
  return telling.slice(-count).join("\n");
}

/** Runs a Python module in isolated mode, so that no variable and no folder of the user changes what Python loads. */
export function runModule(python: string, args: readonly string[], options: RunOptions): Promise<ToolOutcome> {
  return runTool(python, ["-I", "-m", ...args], options);
}
