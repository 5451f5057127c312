import type { Platform } from "../../../simulator/index";
import { BenchStack } from "../benchStack";

const types = { ours: "docs-platform:StaticExport", trivial: "dynamic:Resource" };
export type CostSide = keyof typeof types;

/** Times are in seconds. `stateBytes` is the size of one resource in the state. */
export type CostOfLife = Record<"firstUp" | "unchangedUp" | "refresh" | "stateBytes", number>;

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
