import type { Platform } from "../../../simulator/index";
import { BenchStack } from "../benchStack";

/** The compared sides, and their resource types. */
const types = { ours: "docs-platform:StaticExport", trivial: "dynamic:Resource" };
export type CostSide = keyof typeof types;

/** The cost of a life of so many resources: seconds of wall time, and the bytes of the state of one resource. */
export type CostOfLife = Record<"firstUp" | "unchangedUp" | "refresh" | "stateBytes", number>;

/** Runs one life on a stack of its own: an `up`, a second one and a refresh. */
export async function measureLife(side: CostSide, count: number, platform: Platform): Promise<CostOfLife> {
  const stack = await BenchStack.create("lab/bench/cost/program", {
    BENCH_SIDE: side,
    BENCH_COUNT: String(count),
    DOCS_PLATFORM_BASE_URL: platform.baseUrl,
    DOCS_PLATFORM_API_KEY: platform.apiKey,
  });
  try {
    const firstUp = await stack.up();
    const stateBytes = (await stack.stateBytes(types[side])) / count;
    return { firstUp, unchangedUp: await stack.up(), refresh: await stack.refresh(), stateBytes };
  } finally {
    stack.remove();
  }
}
