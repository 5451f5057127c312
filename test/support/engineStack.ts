import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, relative } from "node:path";
import type { Platform } from "../../simulator/index";
import { projectRoot } from "../../tools/projectRoot";
import { findPulumi } from "../../tools/pulumi/findPulumi";

/** How one `pulumi` command ended. */
export interface Run {
  code: number | null;
  /** Standard output and standard error, as they came. */
  output: string;
  /** The requests that the platform counted while it ran, as `METHOD path`, without the version prefix. */
  requests: string[];
}

export interface StateResource {
  urn: string;
  type: string;
  id?: string;
  inputs: Record<string, unknown>;
  outputs: Record<string, unknown>;
  initErrors?: string[];
  delete?: boolean;
}

/** What the program of the tests declares (test/support/program). */
export interface Declared {
  site?: Record<string, unknown>;
  /** So many exports, each of a domain of its own. */
  sites?: number;
  bundle?: Record<string, unknown>;
  lookUp?: string;
  message?: Record<string, unknown>;
  /** `AgentMessage.get` of this id. */
  messageLookUp?: string;
  /** Arguments of `getStaticExport`, and so on: the result is the output `export`, or `agent`. */
  getExport?: Record<string, unknown>;
  getExportOutput?: Record<string, unknown>;
  getAgent?: Record<string, unknown>;
  getAgentOutput?: Record<string, unknown>;
  /** `helmValues` of a mirror with these properties: the output `mirrored`. */
  mirror?: Record<string, unknown>;
  /** Tells as the output `libraries` which libraries for requests and answers the program has loaded, after `getExport`. */
  libraries?: true;
}

/** Where the packages of a program lie: by name, the folder that a link leads to. */
const linkedPackages = {
  "pulumi-docs-platform": projectRoot,
  "@pulumi/pulumi": join(projectRoot, "node_modules", "@pulumi", "pulumi"),
};

/** A stack of its own on the real engine, in a folder of its own, with a local backend. */
export class EngineStack {
  readonly folder: string;
  /** Added to the environment of each command; `undefined` takes a variable away. */
  readonly environment: NodeJS.ProcessEnv;
  /** What each command has printed. */
  readonly printed: string[] = [];

  private constructor(
    private readonly pulumiFolder: string,
    private readonly platform: Platform,
    packages: Readonly<Record<string, string>>,
  ) {
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), "lifecycle-")));
    this.environment = {
      PATH: `${pulumiFolder}${delimiter}${process.env.PATH ?? ""}`,
      PULUMI_HOME: join(this.folder, "home"),
      PULUMI_BACKEND_URL: `file://${this.folder}/backend`,
      PULUMI_CONFIG_PASSPHRASE: "lifecycle",
      PULUMI_SKIP_UPDATE_CHECK: "1",
      // An example's package of another provider lies in this project's node_modules: its plugin is not fetched for that.
      PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
      DOCS_PLATFORM_BASE_URL: platform.baseUrl,
      DOCS_PLATFORM_API_KEY: platform.apiKey,
    };
    mkdirSync(join(this.folder, "backend"));
    cpSync(join(__dirname, "program"), this.folder, { recursive: true });
    const project = { name: "lifecycle", runtime: { name: "nodejs", options: { typescript: false } } };
    writeFileSync(join(this.folder, "Pulumi.yaml"), JSON.stringify(project));
    for (const [name, target] of Object.entries(packages)) {
      const link = join(this.folder, "node_modules", name);
      mkdirSync(join(link, ".."), { recursive: true });
      symlinkSync(target, link);
    }
  }

  static async create(
    platform: Platform,
    declared: Declared,
    packages: Readonly<Record<string, string>> = linkedPackages,
  ): Promise<EngineStack> {
    const stack = new EngineStack(await findPulumi(), platform, packages);
    stack.declare(declared);
    const created = await stack.pulumi("stack", "init", "test");
    if (created.code !== 0) {
      throw new Error(created.output);
    }
    return stack;
  }

  /** Runs an example of this project in place of the program of the tests. */
  useExample(name: string): void {
    const main = relative(this.folder, join(projectRoot, "examples", name));
    writeFileSync(join(this.folder, "Pulumi.yaml"), JSON.stringify({ name: "lifecycle", runtime: "nodejs", main }));
  }

  declare(declared: Declared): void {
    writeFileSync(join(this.folder, "resources.json"), JSON.stringify(declared));
  }

  up(...flags: string[]): Promise<Run> {
    return this.pulumi("up", "--yes", "--skip-preview", ...flags);
  }

  preview(...flags: string[]): Promise<Run> {
    return this.pulumi("preview", "--diff", ...flags);
  }

  /** One pass: the engine reads each resource once. */
  refresh(...flags: string[]): Promise<Run> {
    return this.pulumi("refresh", "--yes", "--skip-preview", ...flags);
  }

  destroy(): Promise<Run> {
    return this.pulumi("destroy", "--yes", "--skip-preview");
  }

  /** Runs `pulumi` to its end. */
  async pulumi(...commandLine: string[]): Promise<Run> {
    return this.start(...commandLine).ended;
  }

  /** Starts `pulumi` and leaves it to run. */
  start(...commandLine: string[]): { interrupt(): void; kill(): void; ended: Promise<Run> } {
    const first = this.platform.requests.length;
    const child = spawn(join(this.pulumiFolder, "pulumi"), [...commandLine, "--non-interactive", "--color", "never"], {
      cwd: this.folder,
      env: { ...process.env, ...this.environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (chunk: string) => {
        output += chunk;
      });
    }
    const ended = once(child, "close").then(([code]) => {
      this.printed.push(output);
      const requests = this.platform.requests
        .slice(first)
        .filter(({ operation }) => operation !== "download")
        .map(({ method, path }) => `${method} ${path.replace(/^\/v\d/, "")}`);
      return { code: code as number | null, output, requests };
    });
    return { interrupt: () => child.kill("SIGINT"), kill: () => child.kill("SIGKILL"), ended };
  }

  async outputs(): Promise<Record<string, unknown>> {
    const child = spawn(join(this.pulumiFolder, "pulumi"), ["stack", "output", "--json", "--show-secrets"], {
      cwd: this.folder,
      env: { ...process.env, ...this.environment },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
    await once(child, "close");
    return JSON.parse(text);
  }

  /** The resource of the program with this name, as the state holds it. */
  async state(name: string): Promise<StateResource | undefined> {
    return (await this.resources()).find(({ urn, delete: old }) => urn.endsWith(`::${name}`) && !old);
  }

  async resources(): Promise<StateResource[]> {
    const file = join(this.folder, "export.json");
    await this.pulumi("stack", "export", "--file", file);
    return JSON.parse(readFileSync(file, "utf8")).deployment.resources ?? [];
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
