import type { Platform } from "../../../simulator/index";
import { BenchStack } from "../engine/benchStack";

/**
 * The compared sides: our StaticExport, a dynamic resource that only keeps its inputs, and the barest possible
 * resource.
 */
export type CostSide = "ours" | "trivial" | "barest";

/** The cost of a life of so many resources: seconds of wall time, bytes. */
export interface CostOfLife {
  firstUp: number;
  /** This field and the next are undefined if only the first run was measured. */
  unchangedUp: number | undefined;
  refresh: number | undefined;
  /** The bytes of the state of one resource. */
  stateBytes: number;
  /** The highest memory during the first `up`; undefined if the system does not show it. */
  providerMemory: number | undefined;
  /** The highest memory during the second `up`. */
  unchangedMemory: number | undefined;
}

const types: Record<CostSide, string> = {
  ours: "docs-platform:StaticExport",
  trivial: "dynamic:Resource",
  barest: "dynamic:Resource",
};

/**
 * Runs one life on a stack of its own: an `up`, and if every run is measured also a second `up` and a refresh. Removes
 * the folder of the stack afterwards.
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
