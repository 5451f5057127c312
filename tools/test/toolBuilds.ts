import { type ChildProcess, fork } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { join } from "node:path";
import { toolsOfTests } from "../toolchain/catalogue";

/** The time limit, in milliseconds, for finding all tools in the cache on a busy machine. */
const longestLookUp = 5_000;

export interface ToolReport {
  readonly name: string;
  readonly seconds: number;
  /** The reason why the tool was not built. It is empty if the tool exists, or if this machine cannot build it. */
  readonly problem: string;
}

/** The process that builds the tools while the tests run. */
export class ToolBuilds {
  readonly problems: string[] = [];
  readonly #open = new Set<string>(toolsOfTests.map(({ name }) => name));
  readonly #changes = new EventEmitter();
  readonly #child: ChildProcess;

  constructor(private readonly signal: AbortSignal) {
    this.#child = fork(join(__dirname, "buildTools.ts"), {
      execArgv: ["--import", "tsx"],
      // The output goes through a pipe, because lines that a terminal redraws would mix with the lines of vitest.
      stdio: ["ignore", "inherit", "pipe", "ipc"],
    });
    this.#child.stderr?.pipe(process.stderr);
    this.#child.on("message", (report: ToolReport) => this.#settle(report));
    signal.addEventListener("abort", () => this.#child.kill());
    // All messages of the process arrive before `disconnect`. So a tool that is still in `#open` was not built.
    this.#child.once("disconnect", () => {
      const problem = "the process that builds it has ended";
      for (const name of this.#open) {
        this.#settle({ name, seconds: 0, problem });
      }
    });
  }

  /** True if the tool exists or cannot be built. The tests that need the tool then wait no longer. */
  isSettled(name: string): boolean {
    return !this.#open.has(name);
  }

  async foundInCache(): Promise<void> {
    const signal = AbortSignal.any([this.signal, AbortSignal.timeout(longestLookUp)]);
    while (this.#open.size > 0 && !signal.aborted) {
      await once(this.#changes, "settled", { signal }).catch(() => {});
    }
    this.signal.throwIfAborted();
  }

  async next(): Promise<void> {
    console.log(`waiting for ${[...this.#open].join(", ")}`);
    await once(this.#changes, "settled", { signal: this.signal });
  }

  #settle({ name, seconds, problem }: ToolReport): void {
    this.#open.delete(name);
    if (problem !== "") {
      this.problems.push(problem);
      console.error(`${name}: ${problem}`);
    } else if (seconds >= 10) {
      console.log(`${name}: ready after ${seconds} s`);
    }
    this.#changes.emit("settled");
  }
}
