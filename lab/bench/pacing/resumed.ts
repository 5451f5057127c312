import { type BenchTarget, table } from "../part";
import { type BandName, bandNames, makeJobIn, mixed, parameters, type Shape } from "./generator";
import { type Cell, ourWaiter, runJobs } from "./simulate";

/** The facts that a resumed wait knows about its job. */
const knowledge = {
  begin: { title: "begin known", knowsBegin: true, knowsLast: false },
  nothing: { title: "begin unknown", knowsBegin: false, knowsLast: false },
} as const;
export type Knowledge = keyof typeof knowledge;

/** One row: the uninterrupted wait, and the waits that resume at each share of the job. */
export interface ResumedRow {
  band: BandName;
  shape: Shape | "mixed";
  known: Knowledge;
  uninterrupted: Cell;
  resumed: Cell[];
}

/** The factor by which a resumed wait may see the end later than an uninterrupted one. */
export const longestRatio = 1.5;

const told: readonly (Shape | "mixed")[] = ["mixed", "linear", "stall", "jump", "steps", "queue", "absent"];

/** Compares waits that resume in the middle of a job with uninterrupted waits for the same jobs. */
export async function runResumed(jobs: number): Promise<ResumedRow[]> {
  const rows: ResumedRow[] = [];
  for (const shape of told) {
    for (const band of bandNames) {
      const shown = shape === "mixed" ? mixed : [shape];
      const make = (number: number) => makeJobIn(band, shown[number % shown.length] ?? "linear", number);
      const uninterrupted = await runJobs(ourWaiter({ knowsLast: false }), "A", make, jobs);
      for (const known of ["begin", "nothing"] as const) {
        const resumed: Cell[] = [];
        for (const at of parameters.resumed.at) {
          resumed.push(await runJobs(ourWaiter({ ...knowledge[known], at }), "A", make, jobs));
        }
        rows.push({ band, shape, known, uninterrupted, resumed });
      }
    }
  }
  return rows;
}

export function describeResumed(rows: readonly ResumedRow[]): string {
  const cell = ({ requests, delay }: Cell) => `${requests.toFixed(1)} / ${delay.toFixed(2)}`;
  const head = [
    "progress",
    "job",
    "known",
    "uninterrupted",
    ...parameters.resumed.at.map((at) => `from ${at * 100} %`),
  ];
  return table([
    [...head, "worst ratio"],
    ...rows.map(({ band, shape, known, uninterrupted, resumed }) => [
      shape,
      band,
      knowledge[known].title,
      cell(uninterrupted),
      ...resumed.map(cell),
      worstRatio({ uninterrupted, resumed }).toFixed(2),
    ]),
  ]);
}

export function worstRatio({ uninterrupted, resumed }: Pick<ResumedRow, "uninterrupted" | "resumed">): number {
  return Math.max(...resumed.map(({ delay }) => delay / uninterrupted.delay));
}

export function resumedTargets(rows: readonly ResumedRow[]): BenchTarget[] {
  return rows.map((row) => ({
    name: `pacing.resumed.${row.shape}.${row.band}.${row.known}`,
    value: worstRatio(row),
    limit: longestRatio,
  }));
}
