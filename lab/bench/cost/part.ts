import { startPlatform } from "../../../simulator/index";
import { type BenchTarget, type Measurement, median, table } from "../part";
import { load } from "./loading";
import { type CostOfLife, type CostSide, measureLife } from "./sides";

/**
 * The size of the benchmark: how many resources at once, and how often each number of them is measured. The sides take
 * turns.
 */
export interface CostForm {
  counts: readonly number[];
  rounds: number;
  /** True if the runs after the first one are measured as well. A noisy machine moves their times. */
  everyRun: boolean;
}

/** Adds the bytes of the state and the memory to the tables. One first run tells as much about them as five lives. */
export const shortCost: CostForm = { counts: [5], rounds: 1, everyRun: false };

/** The highest allowed ratios to the trivial resource. */
const limits = {
  firstUp: 1,
  unchangedUp: 0.95,
  refresh: 1.2,
  stateBytes: 0.5,
  providerMemory: 1.3,
  unchangedMemory: 1.3,
} as const;
type Measure = keyof typeof limits;
const measures = Object.keys(limits) as Measure[];

/** The milliseconds that loading the package may add to a program. */
const longestLoading = 15;

/** The lives of both sides. */
export type Lives = Record<Exclude<CostSide, "barest">, CostOfLife[]>;

/**
 * Measures what our StaticExport costs beside a dynamic resource that only keeps its inputs, on the real engine, with
 * jobs that are completed at the first poll. A ratio is a ratio of medians.
 */
export async function costPart({ counts, rounds, everyRun }: CostForm): Promise<Measurement> {
  const platform = await startPlatform({ queueTime: 0, jobTime: 0 });
  try {
    const byCount = new Map<number, Lives>();
    for (const count of counts) {
      const lives: Lives = { ours: [], trivial: [] };
      for (let round = 0; round < rounds; round++) {
        // The sides take turns, so that a machine that gets slower or faster favours neither.
        const sides: (keyof Lives)[] = round % 2 === 0 ? ["trivial", "ours"] : ["ours", "trivial"];
        for (const side of sides) {
          lives[side].push(await measureLife(side, count, platform, everyRun));
        }
      }
      byCount.set(count, lives);
    }
    const barest = everyRun ? (await measureLife("barest", 1, platform, false)).stateBytes : undefined;
    return costReport(byCount, barest, Array.from({ length: 5 }, load));
  } finally {
    await platform.close();
  }
}

/** @param barest the bytes of the state of the barest resource, if it was measured. */
export function costReport(
  byCount: ReadonlyMap<number, Lives>,
  barest: number | undefined,
  loadings: readonly ReturnType<typeof load>[],
): Measurement {
  const figures: Record<string, number> = {};
  const targets: BenchTarget[] = [];
  const rows = [["resources", "measure", "trivial", "ours", "ratio", "target"]];
  for (const [count, lives] of byCount) {
    for (const measure of measures) {
      const trivial = middle(lives.trivial, measure);
      const ours = middle(lives.ours, measure);
      if (trivial === undefined || ours === undefined) {
        continue;
      }
      const name = `cost.${count}.${measure}`;
      figures[`${name}.trivial`] = trivial;
      figures[`${name}.ours`] = ours;
      targets.push({ name, value: ours / trivial, limit: limits[measure] });
      const shown = [trivial, ours].map((value) => show(measure, value));
      rows.push([String(count), measure, ...shown, (ours / trivial).toFixed(2), `≤ ${limits[measure]}`]);
    }
  }
  const loading = median(loadings.map(({ milliseconds }) => milliseconds));
  const libraries = loadings.flatMap((each) => each.libraries).length;
  targets.push(
    { name: "cost.loading.milliseconds", value: loading, limit: longestLoading },
    { name: "cost.loading.libraries", value: libraries, limit: 0 },
  );
  const text = [
    "What StaticExport costs beside a dynamic resource that only keeps its inputs (medians)",
    "",
    table(rows),
    "",
    ...(barest === undefined
      ? []
      : [`The barest dynamic resource, with create alone, has ${Math.round(barest)} bytes of state.`]),
    `Loading the package takes a program ${loading.toFixed(1)} ms (target ≤ ${longestLoading}), and ${libraries} libraries for requests, schemas or traces come along.`,
  ].join("\n");
  return {
    name: "cost",
    text,
    figures: { ...figures, ...(barest !== undefined && { "cost.stateBytes.barest": barest }) },
    targets,
  };
}

function middle(lives: readonly CostOfLife[], measure: Measure): number | undefined {
  const values = lives.map((life) => life[measure]).filter((value) => value !== undefined);
  return values.length > 0 ? median(values) : undefined;
}

function show(measure: Measure, value: number): string {
  switch (measure) {
    case "stateBytes":
      return `${Math.round(value)} B`;
    case "providerMemory":
    case "unchangedMemory":
      return `${Math.round(value / 1024 ** 2)} MiB`;
    default:
      return `${value.toFixed(2)} s`;
  }
}
