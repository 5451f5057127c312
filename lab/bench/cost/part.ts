import { startPlatform } from "../../../simulator/index";
import { markdownTable } from "../../../test/support/markdownTable";
import { type BenchTarget, type Measurement, median } from "../measurement";
import { type CostOfLife, type CostSide, measureLife } from "./measureLife";
import { measureLoading } from "./measureLoading";

/** The highest allowed ratios of our costs to the costs of the trivial resource. */
const limits: CostOfLife = { firstUp: 1, unchangedUp: 0.95, refresh: 1.2, stateBytes: 0.5 };

/** The longest delay, in milliseconds, that loading the package may add to a program. */
const longestLoading = 15;

/** Compares our StaticExport with a dynamic resource that only keeps its inputs. Each ratio compares two medians. */
export async function costPart(counts: readonly number[], rounds: number): Promise<Measurement> {
  const platform = await startPlatform({ queueTime: 0, jobTime: 0 });
  const figures: Record<string, number> = {};
  const targets: BenchTarget[] = [];
  const rows = [["resources", "measure", "trivial", "ours", "ratio", "target"]];
  try {
    for (const count of counts) {
      const lives: Record<CostSide, CostOfLife[]> = { ours: [], trivial: [] };
      for (let round = 0; round < rounds; round++) {
        // The two sides run alternately, so that a change of the machine's speed affects both.
        const sides: CostSide[] = round % 2 === 0 ? ["trivial", "ours"] : ["ours", "trivial"];
        for (const side of sides) {
          lives[side].push(await measureLife(side, count, platform));
        }
      }
      for (const measure of Object.keys(limits) as (keyof CostOfLife)[]) {
        const [trivial, ours] = [lives.trivial, lives.ours].map((each) =>
          median(each.map((life) => life[measure])),
        ) as [number, number];
        const name = `cost.${count}.${measure}`;
        figures[`${name}.trivial`] = trivial;
        figures[`${name}.ours`] = ours;
        targets.push({ name, value: ours / trivial, limit: limits[measure] });
        const show = (value: number) => (measure === "stateBytes" ? `${Math.round(value)} B` : `${value.toFixed(2)} s`);
        rows.push([
          String(count),
          measure,
          show(trivial),
          show(ours),
          (ours / trivial).toFixed(2),
          `≤ ${limits[measure]}`,
        ]);
      }
    }
  } finally {
    await platform.close();
  }
  const loadings = Array.from({ length: 5 }, measureLoading);
  const loading = median(loadings.map(({ milliseconds }) => milliseconds));
  const libraries = loadings.flatMap((each) => each.libraries).length;
  targets.push(
    { name: "cost.loading.milliseconds", value: loading, limit: longestLoading },
    { name: "cost.loading.libraries", value: libraries, limit: 0 },
  );
  const text = `What StaticExport costs beside a dynamic resource that only keeps its inputs (medians)

${markdownTable(rows)}

Loading the package takes a program ${loading.toFixed(1)} ms (target ≤ ${longestLoading}), and ${libraries} libraries for requests, schemas or traces come along.`;
  return { text, figures, targets };
}
