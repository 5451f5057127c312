import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { prepareStackFolder } from "../processes/prepareStackFolder";
import { startProcess } from "../processes/startProcess";
import { projectRoot } from "../projectRoot";
import { readEvents } from "./events";
import type { Target } from "./target";

const stackName = "quickstart";

/** What one run of `pulumi` did. */
export interface Run {
  seconds: number;
  /** As `METHOD /path`, in order. */
  requests: string[];
}

/** A `pulumi` command that failed; the message is the engine's last error. */
export class RunFailed extends Error {}

/** What the quickstart runs on, whichever engine it is. */
export interface QuickstartStack {
  /** The commands, as a person types them. */
  readonly commands: { readonly up: string; readonly destroy: string };
  /** The values of a deployment, once a run has ended. */
  readonly valuesFile: string;
  create(): Promise<void>;
  setRenewBefore(duration: string): Promise<void>;
  up(): Promise<Run>;
  destroy(): Promise<Run>;
  outputs(): Promise<Record<string, string>>;
  /** The job that the state holds, also after a failed run. */
  jobId(): Promise<string | undefined>;
}

/** The environment in which a command's provider finds a platform, and writes its requests into a file. */
export function countedEnvironment(target: Target, requestsFile: string): NodeJS.ProcessEnv {
  return {
    DOCS_PLATFORM_BASE_URL: target.baseUrl,
    DOCS_PLATFORM_API_KEY: target.apiKey,
    DOCS_PLATFORM_DOMAIN: target.domain,
    NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ""} --require "${join(__dirname, "countRequests.cjs")}"`.trim(),
    QUICKSTART_REQUESTS: requestsFile,
    QUICKSTART_ORIGIN: new URL(target.baseUrl).origin,
  };
}

export function requestsIn(file: string): string[] {
  return existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line !== "")
    : [];
}

/** In a process group of its own: the terminal's Ctrl-C reaches us, and we pass on one, so that none counts as two. */
export async function runInterruptibly(
  file: string,
  commandLine: readonly string[],
  options: { cwd: string; environment: NodeJS.ProcessEnv; output: "inherit" | "pipe"; signal: AbortSignal },
) {
  const { child, ended } = startProcess(file, commandLine, {
    cwd: options.cwd,
    env: { ...process.env, ...options.environment },
    stdio: ["ignore", options.output, options.output],
    detached: true,
  });
  const interrupt = () => child.kill("SIGINT");
  options.signal.addEventListener("abort", interrupt);
  try {
    return await ended;
  } finally {
    options.signal.removeEventListener("abort", interrupt);
  }
}

/** The quickstart's stack, whose backend, configuration and files all lie in one folder. */
export class Stack implements QuickstartStack {
  readonly commands = { up: "pulumi up", destroy: "pulumi destroy" };
  readonly valuesFile: string;
  readonly #requestsFile: string;
  readonly #environment: NodeJS.ProcessEnv;

  readonly #folder: string;
  readonly #pulumiFolder: string;
  readonly #signal: AbortSignal;

  constructor(folder: string, pulumiFolder: string, target: Target, passphrase: string, signal: AbortSignal) {
    this.#folder = folder;
    this.#pulumiFolder = pulumiFolder;
    this.#signal = signal;
    this.valuesFile = join(folder, "values.yaml");
    this.#requestsFile = join(folder, "requests.txt");
    this.#environment = {
      ...prepareStackFolder(folder, pulumiFolder, passphrase),
      // The event log tells the cause of a failure, which the display has shown somewhere above by then.
      PULUMI_DEBUG_COMMANDS: "1",
      ...countedEnvironment(target, this.#requestsFile),
    };
  }

  async create(): Promise<void> {
    const program = relative(this.#folder, join(projectRoot, "examples", "quickstart"));
    const project = { name: "docs-platform-quickstart", runtime: "nodejs", main: program };
    writeFileSync(join(this.#folder, "Pulumi.yaml"), JSON.stringify(project));
    await this.#quiet(["stack", "init", stackName]);
    await this.#quiet(["config", "set", "--stack", stackName, "valuesFile", this.valuesFile]);
  }

  async setRenewBefore(duration: string): Promise<void> {
    await this.#quiet(["config", "set", "--stack", stackName, "renewBefore", duration]);
  }

  up(): Promise<Run> {
    return this.#show("up");
  }

  destroy(): Promise<Run> {
    return this.#show("destroy");
  }

  async outputs(): Promise<Record<string, string>> {
    return JSON.parse(await this.#quiet(["stack", "output", "--stack", stackName, "--json", "--show-secrets"]));
  }

  async jobId(): Promise<string | undefined> {
    const exported = JSON.parse(await this.#quiet(["stack", "export", "--stack", stackName]));
    const resources: { type: string; id?: string }[] = exported.deployment.resources ?? [];
    return resources.find(({ type }) => type.endsWith(":StaticExport"))?.id;
  }

  async #show(command: "up" | "destroy"): Promise<Run> {
    const eventLog = join(this.#folder, `${command}-events.json`);
    writeFileSync(eventLog, "");
    const before = this.#requests().length;
    const begin = Date.now();
    const remove = command === "destroy" ? ["--remove"] : [];
    const commandLine = [command, ...remove, "--yes", "--skip-preview", "--stack", stackName, "--event-log", eventLog];
    const { code } = await this.#pulumi(commandLine, "inherit");
    if (code !== 0) {
      throw new RunFailed(readEvents(eventLog).lastError ?? `pulumi ${command} ended with ${code ?? "a signal"}`);
    }
    return { seconds: (Date.now() - begin) / 1_000, requests: this.#requests().slice(before) };
  }

  async #quiet(commandLine: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.#pulumi(commandLine, "pipe");
    if (code !== 0) {
      throw new RunFailed(stderr.trim() || `pulumi ${commandLine[0]} ended with ${code ?? "a signal"}`);
    }
    return stdout;
  }

  #pulumi(commandLine: string[], output: "inherit" | "pipe") {
    const options = { cwd: this.#folder, environment: this.#environment, output, signal: this.#signal };
    return runInterruptibly(join(this.#pulumiFolder, "pulumi"), commandLine, options);
  }

  #requests(): string[] {
    return requestsIn(this.#requestsFile);
  }
}
