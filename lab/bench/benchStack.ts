import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { PulumiDriver } from "../../tools/engines/pulumiDriver";
import { projectRoot } from "../../tools/projectRoot";

export class BenchStack extends PulumiDriver<number> {
  private constructor(environment: NodeJS.ProcessEnv) {
    super(mkdtempSync(join(tmpdir(), "pulumi-docs-platform-bench-")), "bench", "bench");
    Object.assign(this.environment, environment);
  }

  /** @param program a folder of this project that has its own package.json. */
  static async create(program: string, environment: NodeJS.ProcessEnv): Promise<BenchStack> {
    const stack = new BenchStack(environment);
    await stack.prepare();
    const main = relative(stack.folder, join(projectRoot, program));
    stack.writeProject({ runtime: { name: "nodejs", options: { typescript: false } }, main });
    await stack.pulumi("stack", "init", "bench");
    return stack;
  }

  /** @throws Error with the command's output, if the command fails. */
  async pulumi(...commandLine: string[]): Promise<number> {
    const begin = performance.now();
    const { code, output } = await this.spawn([...commandLine, "--non-interactive", "--color", "never"]).ended;
    if (code !== 0) {
      throw new Error(`pulumi ${commandLine[0]} ended with ${code}:\n${output}`);
    }
    return (performance.now() - begin) / 1_000;
  }

  /** Returns the size, in bytes of compact JSON, of all resources whose type contains `type`. */
  async stateBytes(type: string): Promise<number> {
    const resources = (await this.resources()).filter((each) => each.type.includes(type));
    return resources.reduce((sum, each) => sum + JSON.stringify(each).length, 0);
  }
}
