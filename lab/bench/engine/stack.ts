import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { prepareStackFolder } from "../../../tools/processes/prepareStackFolder";
import { startProcess } from "../../../tools/processes/startProcess";
import { projectRoot } from "../../../tools/projectRoot";
import { findPulumi } from "../../../tools/toolchain/findPulumi";
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
  readonly environment: NodeJS.ProcessEnv;

  readonly #pulumiFolder: string;
  private constructor(pulumiFolder: string, environment: NodeJS.ProcessEnv) {
    this.#pulumiFolder = pulumiFolder;
    this.folder = mkdtempSync(join(tmpdir(), "pulumi-docs-platform-bench-"));
    this.environment = {
      ...process.env,
      ...prepareStackFolder(this.folder, pulumiFolder, "bench"),
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
    const flags = ["--non-interactive", "--color", "never"];
    const { child, ended } = startProcess(join(this.#pulumiFolder, "pulumi"), [...commandLine, ...flags], {
      cwd: this.folder,
      env: this.environment,
    });
    const watch = watchProvider(child.pid ?? 0);
    const { code, output } = await ended;
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
