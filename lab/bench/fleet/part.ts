import { startPlatform } from "../../../simulator/index";
import { type BenchTarget, type Measurement, median, table } from "../part";
import { Fleet, type FleetSide, type Wave } from "./fleet";

/** The size of the benchmark: the number of stacks, and how many of them run at once. */
export interface FleetForm {
  counts: readonly number[];
  /** More stacks at once than processors need more memory and do not finish earlier. */
  atOnce: number;
}

const runs = ["first", "unchanged"] as const;
type RunKind = (typeof runs)[number];
/** The waves of ours and of the control, for the first `up` and for an unchanged one. */
export type Waves = Record<FleetSide, Record<RunKind, Wave[]>>;

/** The highest allowed ratios to the control. Times have no limit, because other work on the machine moves them. */
const limits = { seconds: undefined, cpu: 1.1, memory: 1.1 } as const;
type Measure = keyof typeof limits;
const measures = Object.keys(limits) as Measure[];

/** The requests of one stack: a start and one poll of a job that completes at once. An unchanged stack sends none. */
const requestLimits: Record<RunKind, number> = { first: 2, unchanged: 0 };

/** A small fleet runs several times, because one run tells little. */
const leastStacks = 5;

/**
 * Measures what many stacks cost that the Automation API brings up at the same time: each has a StaticExport whose job
 * is completed at the first poll. The control is the same stacks with a dynamic resource that only keeps its inputs.
 */
export async function fleetPart({ counts, atOnce }: FleetForm): Promise<Measurement> {
  const platform = await startPlatform({ queueTime: 0, jobTime: 0 });
  try {
    const byCount = new Map<number, Waves>();
    for (const count of counts) {
      const waves: Waves = { ours: { first: [], unchanged: [] }, trivial: { first: [], unchanged: [] } };
      for (let round = 0; round < Math.ceil(leastStacks / count); round++) {
        for (const side of ["trivial", "ours"] as const) {
          const fleet = await Fleet.create(side, count, atOnce, platform);
          waves[side].first.push(await fleet.up());
          waves[side].unchanged.push(await fleet.up());
          fleet.remove();
        }
      }
      byCount.set(count, waves);
    }
    return fleetReport(byCount, atOnce);
  } finally {
    await platform.close();
  }
}

export function fleetReport(byCount: ReadonlyMap<number, Waves>, atOnce: number): Measurement {
  const figures: Record<string, number> = {};
  const targets: BenchTarget[] = [];
  const rows = [["stacks", "up", "measure", "control", "ours", "ratio", "target"]];
  for (const [count, waves] of byCount) {
    for (const run of runs) {
      for (const measure of measures) {
        const name = `fleet.${count}.${run}.${measure}`;
        const control = middle(waves.trivial[run], count, measure);
        const ours = middle(waves.ours[run], count, measure);
        figures[`${name}.control`] = control;
        figures[`${name}.ours`] = ours;
        const limit = limits[measure];
        if (limit !== undefined) {
          targets.push({ name, value: ours / control, limit });
        }
        const shown = [control, ours].map((value) => show(measure, value));
        const target = limit === undefined ? "–" : `≤ ${limit}`;
        rows.push([String(count), run, titles[measure], ...shown, (ours / control).toFixed(2), target]);
      }
      const [control = 0, ours = 0] = [waves.trivial, waves.ours].map((side) => requestsOf(side[run], count));
      targets.push({ name: `fleet.${count}.${run}.requests`, value: ours, limit: requestLimits[run] });
      rows.push([
        String(count),
        run,
        "requests a stack",
        String(control),
        String(ours),
        "–",
        `≤ ${requestLimits[run]}`,
      ]);
    }
  }
  const text = `Stacks side by side, at most ${atOnce} at once, beside the same with a dynamic resource that only keeps its inputs\n\n${table(rows)}`;
  return { name: "fleet", text, figures, targets };
}

const titles: Record<Measure, string> = {
  seconds: "seconds a stack",
  cpu: "CPU seconds a stack",
  memory: "most memory of all",
};

/** Time and CPU are divided by the number of stacks; memory is the sum of all. */
function middle(waves: readonly Wave[], count: number, measure: Measure): number {
  return median(waves.map((wave) => wave[measure])) / (measure === "memory" ? 1 : count);
}

function requestsOf(waves: readonly Wave[], count: number): number {
  return Math.max(...waves.map(({ requests }) => requests)) / count;
}

function show(measure: Measure, value: number): string {
  return measure === "memory" ? `${Math.round(value / 1024 ** 2)} MiB` : value.toFixed(2);
}
