import type { SpawnOptions } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Ended, Started } from "../processes/startProcess";
import type { CountedRun } from "./quickstart";
import { RunFailed } from "./quickstart";
import type { QuickstartPlatform } from "./target";

type Start = (options: SpawnOptions) => Started;

/** The commands of an engine on one platform, with the requests that their providers send to it. */
export class CountedCommands {
  /** In it a command's provider finds the platform, and writes its requests into a file. */
  readonly environment: NodeJS.ProcessEnv;
  readonly #requestsFile: string;
  readonly #signal: AbortSignal;

  /** @param signal ends the command that runs, as a Ctrl-C does. */
  constructor(requestsFile: string, target: QuickstartPlatform, signal: AbortSignal) {
    this.#requestsFile = requestsFile;
    this.#signal = signal;
    this.environment = {
      DOCS_PLATFORM_BASE_URL: target.baseUrl,
      DOCS_PLATFORM_API_KEY: target.apiKey,
      DOCS_PLATFORM_DOMAIN: target.domain,
      NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ""} --require "${join(__dirname, "countRequests.cjs")}"`.trim(),
      QUICKSTART_REQUESTS: requestsFile,
      QUICKSTART_ORIGIN: new URL(target.baseUrl).origin,
    };
  }

  /**
   * Runs a command that writes to the terminal.
   * @param cause of a failure, by the command's exit code.
   * @throws RunFailed
   */
  async show(start: Start, cause: (code: number | null) => string): Promise<CountedRun> {
    const before = this.#requests().length;
    const begin = Date.now();
    const { code } = await this.untilEnd((options) => start({ ...options, stdio: ["ignore", "inherit", "inherit"] }));
    if (code !== 0) {
      throw new RunFailed(cause(code));
    }
    return { seconds: (Date.now() - begin) / 1_000, requests: this.#requests().slice(before) };
  }

  /**
   * Runs in a process group of its own. The terminal's Ctrl-C reaches this process, which passes on one, so that none
   * counts as two.
   */
  async untilEnd(start: Start): Promise<Ended> {
    const { child, ended } = start({ detached: true });
    const interrupt = () => child.kill("SIGINT");
    this.#signal.addEventListener("abort", interrupt);
    try {
      return await ended;
    } finally {
      this.#signal.removeEventListener("abort", interrupt);
    }
  }

  /** The requests as `METHOD /path`, in order. */
  #requests(): string[] {
    if (!existsSync(this.#requestsFile)) {
      return [];
    }
    const lines = readFileSync(this.#requestsFile, "utf8").split("\n");
    return lines.filter((line) => line !== "");
  }
}
