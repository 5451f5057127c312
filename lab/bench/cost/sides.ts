import type { Platform } from "../../../simulator/index";
import { BenchStack } from "../engine/benchStack";

/**
 * What is compared: our StaticExport, a dynamic resource that does nothing but keep its inputs, and the barest one that
 * there can be.
 */
export type CostSide = "ours" | "trivial" | "barest";

/** The cost of a life of so many resources: seconds of wall time, bytes. */
export interface CostOfLife {
  firstUp: number;
  /** Undefined, as the next one, where only the first run was measured. */
  unchangedUp: number | undefined;
  refresh: number | undefined;
  /** Of one resource. */
  stateBytes: number;
  /** The highest of the first `up`; undefined where the system does not show it. */
  providerMemory: number | undefined;
  /** The highest of the second `up`. */
  unchangedMemory: number | undefined;
}

const types: Record<CostSide, string> = {
  ours: "docs-platform:StaticExport",
  trivial: "dynamic:Resource",
  barest: "dynamic:Resource",
};

/**
 * One life on a stack of its own: an `up`, and in every run also a second one and a refresh. What it leaves behind is one
 * folder, which is removed.
 */
export async function measureLife(
  side: CostSide,
  count: number,
  platform: Platform,
  everyRun: boolean,
): Promise<CostOfLife> {
  const stack = await BenchStack.create("lab/bench/cost/program", {
    BENCH_SIDE: side,
    BENCH_COUNT: String(count),
    DOCS_PLATFORM_BASE_URL: platform.baseUrl,
    DOCS_PLATFORM_API_KEY: platform.apiKey,
  });
  try {
    const first = await stack.up();
    const stateBytes = (await stack.stateBytes(types[side])).mean;
    const unchanged = everyRun ? await stack.up() : undefined;
    const refresh = everyRun ? (await stack.refresh()).seconds : undefined;
    return {
      firstUp: first.seconds,
      unchangedUp: unchanged?.seconds,
      refresh,
      stateBytes,
      providerMemory: first.providerMemory,
      unchangedMemory: unchanged?.providerMemory,
    };
  } finally {
    stack.remove();
  }
}
