import { spawn, spawnSync } from "node:child_process";
import { timeLimits } from "./time/timeLimits";

interface ProgramOptions {
  /** In milliseconds. */
  limit: number;
  /** The limit for each of the two outputs, in bytes. */
  maxOutput: number;
  /** Default: empty, so that no program waits for an answer from the user. */
  input?: string;
  cwd?: string | undefined;
  signal?: AbortSignal;
}

interface ProgramResult {
  stdout: string;
  stderr: string;
  /** The reason why the program failed, such as "ended with the exit code 1"; undefined for the exit code 0. */
  problem: string | undefined;
}

/**
 * Runs a program without a shell. When the program ends or must be stopped, its whole process group is stopped. So no
 * remaining process can block the output. On Windows, the processes that the program started are stopped only if the
 * program itself must be stopped.
 */
export function runExternalProgram(
  [program = "", ...args]: readonly string[],
  options: ProgramOptions,
): Promise<ProgramResult> {
  const { limit, maxOutput, input = "", cwd, signal } = options;
  const { promise, resolve } = Promise.withResolvers<ProgramResult>();
  watchOwnEnd();
  const child = spawn(program, args, { cwd, detached: !onWindows, windowsHide: true });
  const { pid } = child;
  if (pid !== undefined) {
    running.add(pid);
  }
  let problem: string | undefined;
  let isTooMuch = false;
  let draining: NodeJS.Timeout | undefined;

  const outputOf = (stream: NodeJS.ReadableStream) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    stream
      .on("error", () => {})
      .on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes <= maxOutput) {
          chunks.push(chunk);
        } else if (!isTooMuch) {
          isTooMuch = true;
          stop(`printed more than ${maxOutput / 1_024} KiB`);
        }
      });
    return () => Buffer.concat(chunks).toString("utf8");
  };
  const [stdout, stderr] = [outputOf(child.stdout), outputOf(child.stderr)];

  /** Waits a short time for the remaining output. */
  const end = () => {
    if (pid !== undefined) {
      endGroup(pid, child.exitCode === null && child.signalCode === null);
    }
    draining ??= setTimeout(finish, timeLimits.programOutput);
  };
  const stop = (why: string) => {
    problem ??= why;
    end();
  };
  const onAbort = () => stop("was interrupted");
  const onLimit = setTimeout(() => stop(`did not end within ${limit / 1_000} seconds`), limit);
  signal?.addEventListener("abort", onAbort, { once: true });

  function finish(): void {
    clearTimeout(onLimit);
    clearTimeout(draining);
    signal?.removeEventListener("abort", onAbort);
    running.delete(pid ?? 0);
    child.stdout.destroy();
    child.stderr.destroy();
    child.unref();
    // After too much output, the provider does not know the secrets in the unread part of `stdout`. The provider could
    // not hide these secrets in `stderr`, so `stderr` is left out.
    resolve({ stdout: stdout(), stderr: isTooMuch ? "" : stderr(), problem });
  }
  child.on("error", ({ code = "" }: NodeJS.ErrnoException) => {
    problem ??= `cannot be started: there is no program ${program} (${code})`;
    finish();
  });
  child.on("exit", (code, by) => {
    if (code !== 0) {
      problem ??= by === null ? `ended with the exit code ${code}` : `was ended by the signal ${by}`;
    }
    end();
  });
  child.on("close", finish);
  child.stdin.on("error", () => {}).end(input);
  return promise;
}

const onWindows = process.platform === "win32";

const running = new Set<number>();
let isWatching = false;
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * A signal to this process does not reach the programs, because each runs in its own process group. Called before a
 * program starts, so that no program is missed.
 */
function watchOwnEnd(): void {
  if (!isWatching) {
    isWatching = true;
    process.on("exit", endAll);
    for (const signal of signals) {
      // `endBy` ends this process if the signal has no other listener. Another listener may remove itself when the
      // signal arrives. So `endBy` comes first, and still counts that listener.
      process.prependListener(signal, endBy);
    }
  }
}

function endAll(): void {
  for (const pid of running) {
    endGroup(pid, true);
  }
}

function endBy(signal: NodeJS.Signals): void {
  endAll();
  if (process.listenerCount(signal) === 1) {
    process.off(signal, endBy);
    process.kill(process.pid, signal);
  }
}

function endGroup(pid: number, isRunning: boolean): void {
  if (!onWindows) {
    try {
      process.kill(-pid, "SIGKILL");
    } catch {}
  } else if (isRunning) {
    spawnSync("taskkill", ["/pid", String(pid), "/t", "/f"], { windowsHide: true });
  }
}
