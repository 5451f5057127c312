import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { Platform } from "../../simulator/index";
import { PulumiDriver, type StateResource } from "../../tools/engines/pulumiDriver";
import type { StartedProcess } from "../../tools/processes/startProcess";
import { projectRoot } from "../../tools/projectRoot";
import { keyService, stackSettings } from "./keyService";
import { printOnFailure } from "./printOnFailure";
import { fastStart, laterClock, linkedPackages, linkPackages, processEnvironment } from "./programFolder";
import { outputsIn } from "./stackOutputs";
import { withProgramServer } from "./withProgramServer";

/** The parts of a platform that a run needs. */
export interface Reached extends Pick<Platform, "baseUrl" | "apiKey"> {
  readonly requests: readonly { operation: string; method: string; path: string }[];
}

export interface Run {
  code: number | null;
  /** Standard output and standard error, in the order in which the lines came. */
  output: string;
  /** The requests that the platform got during the command, as `METHOD path`, without the version prefix. */
  requests: string[];
}

/** The resources and look-ups in test/support/program. */
export interface DeclaredProgram {
  site?: Record<string, unknown>;
  /** The name of an environment variable. The program puts its value, as a secret, into a field of `exportOptions`. */
  secretOption?: string;
  /** The options of the export resource, such as `retainOnDelete`. */
  siteOptions?: Record<string, unknown>;
  /** The number of additional exports. Each has its own domain. */
  sites?: number;
  /** Inputs for each of the exports that `sites` declares. */
  eachSite?: Record<string, unknown>;
  /** Declared by test/support/trees.ts. */
  trees?: readonly object[];
  bundle?: Record<string, unknown>;
  /** The inputs of a mirror of the export's job. Without an export, the mirror needs a `jobId`. */
  copy?: Record<string, unknown>;
  /** Adds the output `copied`: `helmValues` of the mirror that `copy` declares. */
  copyValues?: true;
  lookUp?: string;
  message?: Record<string, unknown>;
  /** The id that `AgentMessage.get` looks up. */
  messageLookUp?: string;
  /** The arguments of `getStaticExport` or `getAgentJob`. The result becomes the output `export` or `agent`. */
  getExport?: Record<string, unknown>;
  getExportOutput?: Record<string, unknown>;
  getAgent?: Record<string, unknown>;
  getAgentOutput?: Record<string, unknown>;
  /** Calls `helmValues` with a mirror that has these properties. The result becomes the output `mirrored`. */
  mirror?: Record<string, unknown>;
  /**
   * Adds the output `libraries`: the HTTP and validation libraries that the program has loaded when `getExport`
   * returns.
   */
  libraries?: true;
}

/** Formats a request as `METHOD path`, without the version prefix. */
export function requestNameOf({ method, path }: { method: string; path: string }): string {
  return `${method} ${path.replace(/^\/v\d/, "")}`;
}

/** Returns the requests from the index `first` on, except downloads. */
export function requestsSince({ requests }: Reached, first: number): string[] {
  return requests
    .slice(first)
    .filter(({ operation }) => operation !== "download")
    .map(requestNameOf);
}

/** A stack for one test. Each command's result contains the requests that the platform got. */
export class EngineStack extends PulumiDriver<Run> {
  readonly printed: string[] = [];
  /**
   * True if the program calls a `get…` function, which loads libraries. In a shared process, these libraries would
   * stay loaded for later tests.
   */
  #looksUp = false;

  private constructor(
    private readonly platform: Reached,
    private packages: Readonly<Record<string, string>>,
  ) {
    super(newFolder(), "lifecycle", "test");
  }

  static async create(
    platform: Reached,
    declared: DeclaredProgram,
    packages: Readonly<Record<string, string>> = linkedPackages,
  ): Promise<EngineStack> {
    const stack = new EngineStack(platform, packages);
    Object.assign(stack.environment, processEnvironment(platform), await keyService());
    await stack.#prepareFolder();
    stack.declare(declared);
    stack.#init();
    return stack;
  }

  async #prepareFolder(): Promise<void> {
    await this.prepare();
    cpSync(join(__dirname, "program"), this.folder, { recursive: true });
    this.writeProject({ runtime: { name: "nodejs", options: { typescript: false } } });
    linkPackages(this.folder, this.packages);
  }

  /** Sets the provider's clock this many milliseconds ahead of the machine's clock. */
  setClockAhead(ahead: number): void {
    Object.assign(this.environment, laterClock(ahead, fastStart().NODE_OPTIONS));
  }

  /** Links other packages into the program, for all later runs. By default, links this project's packages again. */
  usePackages(packages: Readonly<Record<string, string>> = linkedPackages): void {
    this.packages = packages;
    rmSync(join(this.folder, "node_modules"), { recursive: true, force: true });
    linkPackages(this.folder, packages);
  }

  /** Only the backend is kept. */
  async moveToNewMachine(): Promise<void> {
    const gone = this.folder;
    this.folder = newFolder();
    await this.#prepareFolder();
    for (const name of ["backend", "resources.json", "Pulumi.test.yaml"]) {
      cpSync(join(gone, name), join(this.folder, name), { recursive: true });
    }
    rmSync(gone, { recursive: true, force: true });
  }

  /** Writes the files that `pulumi stack init` would write. The command itself would take as long as a run. */
  #init(): void {
    mkdirSync(join(this.stateFile, ".."), { recursive: true });
    // Without a journal folder, the provider would run a slow `pulumi` command before the first start.
    mkdirSync(join(this.folder, "home", "docs-platform"), { recursive: true, mode: 0o700 });
    writeFileSync(join(this.folder, "backend", ".pulumi", "meta.yaml"), "version: 1");
    const checkpoint = { stack: "organization/lifecycle/test", latest: {} };
    writeFileSync(this.stateFile, JSON.stringify({ version: 3, checkpoint }));
    writeFileSync(join(this.folder, "Pulumi.test.yaml"), JSON.stringify(stackSettings));
  }

  useExample(name: string): void {
    this.writeProject({ runtime: "nodejs", main: relative(this.folder, join(projectRoot, "examples", name)) });
  }

  declare(declared: DeclaredProgram): void {
    this.#looksUp = Object.keys(declared).some((name) => /^(get|libraries)/.test(name));
    writeFileSync(join(this.folder, "resources.json"), JSON.stringify(declared));
  }

  /** Uses one process for the programs of `up` and `preview`, because this is faster. */
  async pulumi(...commandLine: string[]): Promise<Run> {
    const program = ["up", "preview"].includes(commandLine[0] ?? "") && this.#programFolder();
    if (!program) {
      return this.start(...commandLine).ended;
    }
    return withProgramServer(program, { ...process.env, ...this.environment }, (address) => {
      return this.start(...commandLine, "--client", address).ended;
    });
  }

  /** Returns undefined if the program needs a new process. */
  #programFolder(): string | undefined {
    const isJavaScript = existsSync(join(this.folder, "node_modules"));
    if (!isJavaScript || this.packages !== linkedPackages || this.#looksUp) {
      return undefined;
    }
    const { main = "" } = JSON.parse(readFileSync(join(this.folder, "Pulumi.yaml"), "utf8"));
    return join(this.folder, main);
  }

  /** Starts `pulumi`, with a new process for the program. `written` grows while it runs. */
  start(...commandLine: string[]): {
    interrupt(): void;
    kill(): void;
    written: StartedProcess["written"];
    ended: Promise<Run>;
  } {
    const first = this.platform.requests.length;
    const { child, written, ended: closed } = this.spawn([...commandLine, "--non-interactive", "--color", "never"]);
    const ended = closed.then(({ code, output }) => {
      this.printed.push(output);
      printOnFailure(`pulumi ${commandLine.join(" ")}: exit code ${code}`, output);
      return { code, output, requests: requestsSince(this.platform, first) };
    });
    return { interrupt: () => child.kill("SIGINT"), kill: () => child.kill("SIGKILL"), written, ended };
  }

  async outputs(): Promise<Record<string, unknown>> {
    return outputsIn(await this.resources());
  }

  async shownOutputs(): Promise<Record<string, unknown>> {
    const { stdout } = await this.spawn(["stack", "output", "--json", "--show-secrets"]).ended;
    return JSON.parse(stdout);
  }

  async state(name: string): Promise<StateResource | undefined> {
    return (await this.resources()).find(({ urn, delete: old }) => urn.endsWith(`::${name}`) && !old);
  }
}

function newFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), "lifecycle-")));
}
