import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { Platform } from "../../simulator/index";
import { PulumiDriver, type StateResource } from "../../tools/engines/pulumiDriver";
import { projectRoot } from "../../tools/projectRoot";
import { keyService, stackSettings } from "./keyService";
import { fastStart, laterClock, linkedPackages, linkPackages, processEnvironment } from "./programFolder";
import { withProgramServer } from "./programServers";
import { outputsIn } from "./stackOutputs";

/** The parts of a platform that a run needs, and the counts that the tests read. */
export interface Reached extends Pick<Platform, "baseUrl" | "apiKey"> {
  readonly requests: readonly { operation: string; method: string; path: string }[];
}

/** The result of one `pulumi` command. */
export interface Run {
  code: number | null;
  /** Standard output and standard error, in the order of their arrival. */
  output: string;
  /** The requests that the platform counted during the command, as `METHOD path`, without the version prefix. */
  requests: string[];
}

/** The declarations of the tests' program (test/support/program). */
export interface DeclaredProgram {
  site?: Record<string, unknown>;
  /** The name of an environment variable. Its value is a secret in one more field of `exportOptions`. */
  secretOption?: string;
  /** The resource options of the export: `retainOnDelete`, and so on. */
  siteOptions?: Record<string, unknown>;
  /** The number of exports, each with its own domain. */
  sites?: number;
  /** More inputs of each of these exports. */
  eachSite?: Record<string, unknown>;
  /** Trees of resources (test/support/trees.ts). */
  trees?: readonly object[];
  bundle?: Record<string, unknown>;
  /** A mirror of the export's job, if there is an export. */
  copy?: Record<string, unknown>;
  /** `helmValues` of that mirror: the output `copied`. */
  copyValues?: true;
  lookUp?: string;
  message?: Record<string, unknown>;
  /** `AgentMessage.get` of this id. */
  messageLookUp?: string;
  /** The arguments of `getStaticExport` or `getAgentJob`: the result is the output `export` or `agent`. */
  getExport?: Record<string, unknown>;
  getExportOutput?: Record<string, unknown>;
  getAgent?: Record<string, unknown>;
  getAgentOutput?: Record<string, unknown>;
  /** `helmValues` of a mirror with these properties: the output `mirrored`. */
  mirror?: Record<string, unknown>;
  /**
   * Adds the output `libraries`: the HTTP and validation libraries that are loaded in the program after `getExport` has
   * returned.
   */
  libraries?: true;
}

/** A request as `METHOD path`, without the version prefix. */
export function requestNameOf({ method, path }: { method: string; path: string }): string {
  return `${method} ${path.replace(/^\/v\d/, "")}`;
}

/** The requests that a platform has counted after its first ones, without downloads. */
export function requestsSince({ requests }: Reached, first: number): string[] {
  return requests
    .slice(first)
    .filter(({ operation }) => operation !== "download")
    .map(requestNameOf);
}

/** A stack for one test, with a program of the tests. Each run returns the requests that a platform counted. */
export class EngineStack extends PulumiDriver<Run> {
  /** The output of every command so far. */
  readonly printed: string[] = [];
  /**
   * True if the program looks something up. This loads libraries into the program's process, and later runs cannot
   * unload them.
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

  /** Sets the provider's clock ahead of this machine's, by milliseconds. */
  setClockAhead(ahead: number): void {
    Object.assign(this.environment, laterClock(ahead, fastStart().NODE_OPTIONS));
  }

  /** From now on, the program uses other packages; by default, it uses this project's packages again. */
  usePackages(packages: Readonly<Record<string, string>> = linkedPackages): void {
    this.packages = packages;
    rmSync(join(this.folder, "node_modules"), { recursive: true, force: true });
    linkPackages(this.folder, packages);
  }

  /** Moves the stack to another machine, which has only the backend of the first one. */
  async moveToNewMachine(): Promise<void> {
    const gone = this.folder;
    this.folder = newFolder();
    await this.#prepareFolder();
    for (const name of ["backend", "resources.json", "Pulumi.test.yaml"]) {
      cpSync(join(gone, name), join(this.folder, name), { recursive: true });
    }
    rmSync(gone, { recursive: true, force: true });
  }

  /** Writes the files of `pulumi stack init`, since the command itself would cost a run. */
  #init(): void {
    mkdirSync(join(this.stateFile, ".."), { recursive: true });
    // On a machine without this folder, the first start would ask the engine about the stack.
    mkdirSync(join(this.folder, "home", "docs-platform"), { recursive: true, mode: 0o700 });
    writeFileSync(join(this.folder, "backend", ".pulumi", "meta.yaml"), "version: 1");
    const checkpoint = { stack: "organization/lifecycle/test", latest: {} };
    writeFileSync(this.stateFile, JSON.stringify({ version: 3, checkpoint }));
    writeFileSync(join(this.folder, "Pulumi.test.yaml"), JSON.stringify(stackSettings));
  }

  /** Runs an example of this project instead of the tests' program. */
  useExample(name: string): void {
    this.writeProject({ runtime: "nodejs", main: relative(this.folder, join(projectRoot, "examples", name)) });
  }

  declare(declared: DeclaredProgram): void {
    this.#looksUp = Object.keys(declared).some((name) => /^(get|libraries)/.test(name));
    writeFileSync(join(this.folder, "resources.json"), JSON.stringify(declared));
  }

  /** One process runs many programs that use this project's SDK. */
  async pulumi(...commandLine: string[]): Promise<Run> {
    const program = ["up", "preview"].includes(commandLine[0] ?? "") && this.#programFolder();
    if (!program) {
      return this.start(...commandLine).ended;
    }
    return withProgramServer(program, { ...process.env, ...this.environment }, (address) => {
      return this.start(...commandLine, "--client", address).ended;
    });
  }

  /** The folder of the program; undefined for a program that needs a process of its own. */
  #programFolder(): string | undefined {
    const isJavaScript = existsSync(join(this.folder, "node_modules"));
    if (!isJavaScript || this.packages !== linkedPackages || this.#looksUp) {
      return undefined;
    }
    const { main = "" } = JSON.parse(readFileSync(join(this.folder, "Pulumi.yaml"), "utf8"));
    return join(this.folder, main);
  }

  /** Starts `pulumi` with a process of its own for the program, and does not wait for it. */
  start(...commandLine: string[]): { interrupt(): void; kill(): void; ended: Promise<Run> } {
    const first = this.platform.requests.length;
    const { child, ended: closed } = this.spawn([...commandLine, "--non-interactive", "--color", "never"]);
    const ended = closed.then(({ code, output }) => {
      this.printed.push(output);
      return { code, output, requests: requestsSince(this.platform, first) };
    });
    return { interrupt: () => child.kill("SIGINT"), kill: () => child.kill("SIGKILL"), ended };
  }

  /** The stack's outputs, with its secrets in clear. */
  async outputs(): Promise<Record<string, unknown>> {
    return outputsIn(await this.resources());
  }

  /** The stack's outputs as the engine's own command shows them. */
  async shownOutputs(): Promise<Record<string, unknown>> {
    const { stdout } = await this.spawn(["stack", "output", "--json", "--show-secrets"]).ended;
    return JSON.parse(stdout);
  }

  /** The state of the program's resource with this name. */
  async state(name: string): Promise<StateResource | undefined> {
    return (await this.resources()).find(({ urn, delete: old }) => urn.endsWith(`::${name}`) && !old);
  }
}

function newFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), "lifecycle-")));
}
