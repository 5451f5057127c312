import { LocalWorkspace } from "@pulumi/pulumi/automation";
import type { Platform } from "../../../simulator/index";
import { BenchStack } from "../engine/benchStack";
import { type Usage, watchUsage } from "./usage";

/** The one resource of every stack of a fleet: a StaticExport, or a dynamic resource that only keeps its inputs. */
export type FleetSide = "ours" | "trivial";

/** The result of one `up` of every stack. */
export interface Wave extends Usage {
  /** The time from the start of the first `up` to the end of the last. */
  seconds: number;
  /** The number of requests to the platform. */
  requests: number;
}

/** Stacks of one project, each with its own state. The Automation API brings them up. */
export class Fleet {
  readonly #project: BenchStack;
  readonly #platform: Platform;
  readonly #count: number;
  readonly #atOnce: number;
  private constructor(project: BenchStack, platform: Platform, count: number, atOnce: number) {
    this.#project = project;
    this.#platform = platform;
    this.#count = count;
    this.#atOnce = atOnce;
  }

  static async create(side: FleetSide, count: number, atOnce: number, platform: Platform): Promise<Fleet> {
    const project = await BenchStack.create("lab/bench/cost/program", {
      BENCH_SIDE: side,
      BENCH_COUNT: "1",
      DOCS_PLATFORM_BASE_URL: platform.baseUrl,
      DOCS_PLATFORM_API_KEY: platform.apiKey,
    });
    // The Automation API finds the command by the PATH of this process.
    process.env.PATH = project.environment.PATH;
    return new Fleet(project, platform, count, atOnce);
  }

  /** Brings up every stack once, `atOnce` at a time. */
  async up(): Promise<Wave> {
    const names = Array.from({ length: this.#count }, (_, index) => `site-${index}`);
    const requests = this.#platform.requests.length;
    const usage = watchUsage();
    const begin = performance.now();
    const worker = async () => {
      for (let name = names.pop(); name !== undefined; name = names.pop()) {
        await this.#up(name);
      }
    };
    await Promise.all(Array.from({ length: this.#atOnce }, worker));
    const seconds = (performance.now() - begin) / 1_000;
    return { seconds, requests: this.#platform.requests.length - requests, ...usage.stop() };
  }

  async #up(stackName: string): Promise<void> {
    const { folder: workDir, environment } = this.#project;
    const { PULUMI_STACK: _, ...envVars } = environment as Record<string, string>;
    const stack = await LocalWorkspace.createOrSelectStack({ stackName, workDir }, { envVars });
    await stack.up({ color: "never" });
  }

  remove(): void {
    this.#project.remove();
  }
}
