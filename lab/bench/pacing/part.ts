import { markdownTable } from "../../../test/support/markdownTable";
import type { BenchTarget, Measurement } from "../part";
import { mixed, parameters, type Shape, type SituationName, shapes, situationNames } from "./generator";
import { type Cell, fixedWaiter, ourWaiter, runCell, type Waiter } from "./simulate";

type Row = Record<SituationName, Cell>;

const fixed = "fixed 10 s";

/** The table of resumed waits has many more cells, each with this share of the jobs. */
const resumedShare = 0.2;

/** The highest allowed requests, mean delays and 95th percentiles. */
const limits: [SituationName, string, Partial<Cell>][] = [
  ["A", "linear", { requests: 15, delay: 0.8, late: 2.5 }],
  ["B", "linear", { requests: 11, delay: 0.7 }],
  ["C", "linear", { requests: 8, delay: 0.45 }],
  ["A", "mixed", { requests: 22, delay: 1.3 }],
  ["A", "absent", { requests: 15.5 }],
];
/** The highest allowed product of requests and mean delay without progress. */
const longestProduct = 155;
/** The factor by which a resumed wait may see the end later than an uninterrupted one. */
const longestRatio = 1.5;

/** A table of results with the targets that they are held to. */
interface Section {
  rows: string[][];
  targets: BenchTarget[];
}

/**
 * Compares the pacing of the waiter with polls every ten seconds, on a virtual clock: uninterrupted waits, and waits that
 * resume in the middle of a job.
 * @param jobs the number of jobs in a cell.
 */
export async function pacingPart(jobs: number): Promise<Measurement> {
  const rows = new Map<string, Row>();
  rows.set(fixed, await runRow(() => fixedWaiter, mixed, jobs));
  for (const [name, shown] of shownProgress) {
    // A site is known if it was exported before.
    rows.set(`ours, ${name}`, await runRow((situation) => ourWaiter({ knowsLast: situation === "B" }), shown, jobs));
  }
  const resumed = await runResumed(jobs * resumedShare);
  return {
    text: [
      `Requests / mean delay / 95th percentile of the delay, s; ${jobs} jobs a cell`,
      describe(rows),
      `Waits that go on in the middle of a job, beside uninterrupted ones, ${jobs * resumedShare} jobs a cell: requests / mean delay, s`,
      markdownTable(resumed.rows),
    ].join("\n\n"),
    figures: figuresOf(rows),
    targets: [...targetsOf(rows), ...resumed.targets],
  };
}

const shownProgress: [string, readonly Shape[]][] = [
  ...shapes.map((shape): [string, Shape[]] => [shape, [shape]]),
  ["mixed", mixed],
];

async function runRow(
  waiterFor: (situation: SituationName) => Waiter,
  shown: readonly Shape[],
  jobs: number,
): Promise<Row> {
  const cell = (situation: SituationName) => runCell(waiterFor(situation), situation, shown, jobs);
  return { A: await cell("A"), B: await cell("B"), C: await cell("C") };
}

function targetsOf(rows: ReadonlyMap<string, Row>): BenchTarget[] {
  const cell = (row: string, situation: SituationName) => {
    const found = rows.get(row)?.[situation];
    if (!found) {
      throw new Error(`nothing was run for ${row} on ${situation}`);
    }
    return found;
  };
  const direct = limits.flatMap(([situation, shape, good]) =>
    Object.entries(good).map(([measure, limit]) => ({
      name: `pacing.${situation}.${shape}.${measure}`,
      value: cell(`ours, ${shape}`, situation)[measure as keyof Cell],
      limit,
    })),
  );
  const blind = cell("ours, absent", "A");
  const product = { name: "pacing.A.absent.product", value: blind.requests * blind.delay, limit: longestProduct };
  const besides = shownProgress.flatMap(([shape]) =>
    situationNames.map((situation) => {
      const [own, other] = [cell(`ours, ${shape}`, situation), cell(fixed, situation)];
      // Fixed rests do not depend on the shape. Above 1, both figures are worse than ours.
      const value = Math.min(own.requests / other.requests, own.delay / other.delay);
      return { name: `pacing.${situation}.${shape}.besideFixed10`, value, limit: 1 };
    }),
  );
  return [...direct, product, ...besides];
}

function figuresOf(rows: ReadonlyMap<string, Row>): Record<string, number> {
  const figures: Record<string, number> = {};
  for (const [name, row] of rows) {
    for (const situation of situationNames) {
      for (const [measure, value] of Object.entries(row[situation])) {
        figures[`pacing.${name.replaceAll(/,? /g, "-")}.${situation}.${measure}`] = value;
      }
    }
  }
  return figures;
}

function describe(rows: ReadonlyMap<string, Row>): string {
  const show = ({ requests, delay, late }: Cell) => `${requests.toFixed(1)} / ${delay.toFixed(2)} / ${late.toFixed(1)}`;
  return markdownTable([
    ["", ...situationNames.map((name) => `${name}: ${parameters.situations[name].title}`)],
    ...[...rows].map(([name, row]) => [name, ...situationNames.map((situation) => show(row[situation]))]),
  ]);
}

/** Compares waits that resume in the middle of a job with uninterrupted waits for the same jobs. */
async function runResumed(jobs: number): Promise<Section> {
  const shares = parameters.resumedAt.map((at) => `from ${at * 100} %`);
  const rows = [["progress", "jobs", "begin", "uninterrupted", ...shares, "worst ratio"]];
  const targets: BenchTarget[] = [];
  const show = ({ requests, delay }: Cell) => `${requests.toFixed(1)} / ${delay.toFixed(2)}`;
  for (const [shape, shown] of shownProgress) {
    for (const situation of ["A", "C"] as const) {
      const uninterrupted = await runCell(ourWaiter({}), situation, shown, jobs);
      for (const knowsBegin of [true, false]) {
        const resumed: Cell[] = [];
        for (const at of parameters.resumedAt) {
          resumed.push(await runCell(ourWaiter({ knowsBegin, at }), situation, shown, jobs));
        }
        const known = knowsBegin ? "known" : "unknown";
        const value = Math.max(...resumed.map(({ delay }) => delay / uninterrupted.delay));
        rows.push([shape, situation, known, show(uninterrupted), ...resumed.map(show), value.toFixed(2)]);
        targets.push({ name: `pacing.resumed.${shape}.${situation}.${known}`, value, limit: longestRatio });
      }
    }
  }
  return { rows, targets };
}
