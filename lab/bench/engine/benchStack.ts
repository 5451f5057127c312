import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { PulumiDriver } from "../../../tools/engines/pulumiDriver";
import { projectRoot } from "../../../tools/projectRoot";
import { type Memory, watchProvider } from "./memory";

/** The result of one `pulumi` command. */
export interface MeasuredRun {
  seconds: number;
  /**
   * The most memory that the process of the dynamic provider held; undefined if there was no such process, or if the
   * system does not show it.
   */
  providerMemory: Memory | undefined;
}

/** A stack whose runs are measured. */
export class BenchStack extends PulumiDriver<MeasuredRun> {
  private constructor(environment: NodeJS.ProcessEnv) {
    super(mkdtempSync(join(tmpdir(), "pulumi-docs-platform-bench-")), "bench", "bench");
    Object.assign(this.environment, environment);
  }

  /** @param program a folder of this project, with a package.json of its own; empty where the stack's folder holds it. */
  static async create(program: string, environment: NodeJS.ProcessEnv): Promise<BenchStack> {
    const stack = new BenchStack(environment);
    await stack.prepare();
    const main = program && { main: relative(stack.folder, join(projectRoot, program)) };
    stack.writeProject({ runtime: { name: "nodejs", options: { typescript: false } }, ...main });
    await stack.pulumi("stack", "init", "bench");
    return stack;
  }

  /** @throws Error with what it printed, where it fails. */
  async pulumi(...commandLine: string[]): Promise<MeasuredRun> {
    const begin = performance.now();
    const { child, ended } = this.spawn([...commandLine, "--non-interactive", "--color", "never"]);
    const watch = watchProvider(child.pid ?? 0);
    const { code, output } = await ended;
    const seconds = (performance.now() - begin) / 1_000;
    const providerMemory = watch.stop();
    if (code !== 0) {
      throw new Error(`pulumi ${commandLine[0]} ended with ${code}:\n${output}`);
    }
    return { seconds, providerMemory };
  }

  /** Returns the size of the resources whose type contains `type`: bytes of compact JSON. */
  async stateBytes(type: string): Promise<{ total: number; mean: number }> {
    const resources = (await this.resources()).filter((each) => each.type.includes(type));
    const total = resources.reduce((sum, each) => sum + JSON.stringify(each).length, 0);
    return { total, mean: total / resources.length };
  }
}
