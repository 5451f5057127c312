import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, relative } from "node:path";
import { projectRoot } from "../../tools/projectRoot";
import { findPulumi } from "../../tools/pulumi/findPulumi";
import { type Memory, watchProvider } from "./memory";

/** How one `pulumi` command went. */
export interface Run {
  seconds: number;
  /** The most memory that the process of the dynamic provider held; undefined where there was none, or it cannot be seen. */
  providerMemory: Memory | undefined;
}

const stackName = "bench";

/** A stack of its own on the real engine, with a local backend, for one side of a comparison. */
export class BenchStack {
  readonly folder: string;
  readonly #environment: NodeJS.ProcessEnv;

  private constructor(
    private readonly pulumiFolder: string,
    environment: NodeJS.ProcessEnv,
  ) {
    this.folder = mkdtempSync(join(tmpdir(), "pulumi-docs-platform-bench-"));
    mkdirSync(join(this.folder, "backend"));
    this.#environment = {
      ...process.env,
      PATH: `${pulumiFolder}${delimiter}${process.env.PATH ?? ""}`,
      PULUMI_HOME: join(this.folder, "home"),
      PULUMI_BACKEND_URL: `file://${this.folder}/backend`,
      PULUMI_CONFIG_PASSPHRASE: "bench",
      PULUMI_SKIP_UPDATE_CHECK: "1",
      // Another provider's package lies in this project's node_modules: its plugin is not fetched for that.
      PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
      ...environment,
    };
  }

  /** @param program a folder of this project, with a package.json of its own. */
  static async create(program: string, environment: NodeJS.ProcessEnv): Promise<BenchStack> {
    const stack = new BenchStack(await findPulumi(), environment);
    const main = relative(stack.folder, join(projectRoot, program));
    const project = { name: "bench", runtime: { name: "nodejs", options: { typescript: false } }, main };
    writeFileSync(join(stack.folder, "Pulumi.yaml"), JSON.stringify(project));
    await stack.pulumi("stack", "init", stackName);
    return stack;
  }

  /** Runs `pulumi` to its end. @throws where it fails, with what it printed. */
  async pulumi(...commandLine: string[]): Promise<Run> {
    const begin = performance.now();
    const child = spawn(join(this.pulumiFolder, "pulumi"), [...commandLine, "--non-interactive", "--color", "never"], {
      cwd: this.folder,
      env: this.#environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    }
    const watch = watchProvider(child.pid ?? 0);
    const [code] = (await once(child, "close")) as [number | null];
    const seconds = (performance.now() - begin) / 1_000;
    const providerMemory = watch.stop();
    if (code !== 0) {
      throw new Error(`pulumi ${commandLine[0]} ended with ${code}:\n${output}`);
    }
    return { seconds, providerMemory };
  }

  up(): Promise<Run> {
    return this.pulumi("up", "--yes", "--skip-preview");
  }

  refresh(): Promise<Run> {
    return this.pulumi("refresh", "--yes", "--skip-preview");
  }

  destroy(): Promise<Run> {
    return this.pulumi("destroy", "--yes", "--skip-preview");
  }

  get stateFile(): string {
    return join(this.folder, "backend", ".pulumi", "stacks", "bench", `${stackName}.json`);
  }

  /** Bytes of the resources whose type holds `type`, as compact JSON. */
  stateBytes(type: string): { total: number; mean: number } {
    const resources: { type: string }[] = JSON.parse(readFileSync(this.stateFile, "utf8")).checkpoint.latest.resources;
    const sizes = resources.filter((each) => each.type.includes(type)).map((each) => JSON.stringify(each).length);
    const total = sizes.reduce((sum, size) => sum + size, 0);
    return { total, mean: total / sizes.length };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
