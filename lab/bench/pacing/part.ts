import { type BenchTarget, type Measurement, table } from "../part";
import { boundWithoutProgress } from "./bound";
import { drawFrontier } from "./frontier";
import { mixed, parameters, type Shape, type SituationName, shapes, situationNames } from "./generator";
import { crowdTargets, describeCrowds, perSecond, runCrowds } from "./many";
import { policies } from "./policies";
import { describeReal, realTargets, runReal } from "./real";
import { describeResumed, resumedTargets, runResumed } from "./resumed";
import { type Cell, ourWaiter, runCell, waitBy } from "./simulate";

type Row = Record<SituationName, Cell>;

export interface PacingResult extends Measurement {
  /** Draws requests against delay of all policies, as an SVG. */
  frontier: string;
}

/** The number of jobs in a cell, in the short form and in the form for the figures that the project keeps. */
export const shortJobs = 1_000;
export const longJobs = 4_000;
/** The share of those jobs that a cell of resumed waits has. Their table has many more cells. */
const resumedShare = 0.2;

/** The durations of the jobs in real waits, in seconds. */
export const realDurations = [10, 25, 60];

/** A site is known if it was exported before. */
const knowsLast = (situation: SituationName) => situation === "B";

/**
 * Compares the pacing of the waiter with other policies on a virtual clock: uninterrupted waits, waits that resume in
 * the middle of a job, and many jobs at once.
 * @param jobs the number of jobs in a cell.
 * @param durations the durations of the jobs in real waits, in seconds.
 */
export async function pacingPart(jobs: number, durations: readonly number[]): Promise<PacingResult> {
  const others = new Map<string, Row>();
  for (const policy of policies) {
    others.set(policy.name, await runRow(() => waitBy(policy), mixed, jobs));
  }
  const ours = new Map<string, Row>();
  const ourRow = (shown: readonly Shape[]) => runRow((name) => ourWaiter({ knowsLast: knowsLast(name) }), shown, jobs);
  for (const shape of shapes) {
    ours.set(shape, await ourRow([shape]));
  }
  ours.set("mixed", await ourRow(mixed));
  const unknown = await runRow(() => ourWaiter({ knowsLast: false }), ["linear"], jobs);
  const resumed = await runResumed(jobs * resumedShare);
  const crowds = await runCrowds();
  const real = await runReal(durations);
  const more = [...resumedTargets(resumed), ...crowdTargets(crowds), ...realTargets(real)];
  const figures = {
    ...flatten("pacing.parameters", { ...parameters, jobs }),
    ...figuresOf([...others].map(([name, row]) => [name.replaceAll(" ", "-"), row])),
    ...figuresOf([...ours].map(([name, row]) => [`ours.${name}`, row])),
    ...figuresOf([["ours.linear.unknownB", unknown]]),
    ...Object.fromEntries(more.map(({ name, value }) => [name, value])),
  };
  return {
    name: "pacing",
    text: [
      describe(others, ours, unknown, jobs),
      `Waits that go on in the middle of a job, beside uninterrupted ones, ${jobs * resumedShare} jobs a cell: requests / mean delay, s`,
      describeResumed(resumed),
      `Many exports of one process, at most ${perSecond} requests a second, progress of mixed shapes`,
      describeCrowds(crowds),
      ...(real.length > 0
        ? ["Real waits, mean delay in s: uninterrupted, and resumed with the begin known / unknown", describeReal(real)]
        : []),
    ].join("\n\n"),
    figures,
    targets: [...targetsOf(others, ours), ...more],
    frontier: drawFrontier(situationNames.map((name) => panelOf(name, others, ours))),
  };
}

async function runRow(
  waiterFor: (situation: SituationName) => ReturnType<typeof waitBy>,
  shown: readonly Shape[],
  jobs: number,
): Promise<Row> {
  const cell = (situation: SituationName) => runCell(waiterFor(situation), situation, shown, jobs);
  return { A: await cell("A"), B: await cell("B"), C: await cell("C") };
}

/** The highest allowed requests, mean delays and 95th percentiles. */
const limits: [SituationName, string, Partial<Cell>][] = [
  ["A", "linear", { requests: 15, delay: 0.8, late: 2.5 }],
  ["B", "linear", { requests: 11, delay: 0.7 }],
  ["C", "linear", { requests: 8, delay: 0.45 }],
  ["A", "mixed", { requests: 22, delay: 1.3 }],
  ["A", "absent", { requests: 15.5 }],
];
const longestProduct = 155;

function targetsOf(others: ReadonlyMap<string, Row>, ours: ReadonlyMap<string, Row>): BenchTarget[] {
  const cell = (rows: ReadonlyMap<string, Row>, row: string, situation: SituationName) => {
    const found = rows.get(row)?.[situation];
    if (!found) {
      throw new Error(`nothing was run for ${row} on ${situation}`);
    }
    return found;
  };
  const direct = limits.flatMap(([situation, shape, good]) =>
    Object.entries(good).map(([measure, limit]) => ({
      name: `pacing.${situation}.${shape}.${measure}`,
      value: cell(ours, shape, situation)[measure as keyof Cell],
      limit,
    })),
  );
  const blind = cell(ours, "absent", "A");
  const product = { name: "pacing.A.absent.product", value: blind.requests * blind.delay, limit: longestProduct };
  const besides = [...ours.keys()].flatMap((shape) =>
    situationNames.map((situation) => {
      const [own, fixed] = [cell(ours, shape, situation), cell(others, "fixed 10 s", situation)];
      // Fixed rests do not depend on the shape. Above 1, both figures are worse than ours.
      const value = Math.min(own.requests / fixed.requests, own.delay / fixed.delay);
      return { name: `pacing.${situation}.${shape}.besideFixed10`, value, limit: 1 };
    }),
  );
  return [...direct, product, ...besides];
}

function figuresOf(rows: readonly (readonly [string, Row])[]): Record<string, number> {
  return Object.assign({}, ...rows.map(([name, row]) => flatten(`pacing.${name}`, row)));
}

function flatten(name: string, value: object): Record<string, number> {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]): [string, number][] => {
      const path = `${name}.${key}`;
      return typeof inner === "number"
        ? [[path, inner]]
        : typeof inner === "object"
          ? Object.entries(flatten(path, inner))
          : [];
    }),
  );
}

function describe(
  others: ReadonlyMap<string, Row>,
  ours: ReadonlyMap<string, Row>,
  unknown: Row,
  jobs: number,
): string {
  const cells = (row: Row) =>
    situationNames.map((name) => {
      const { requests, delay, late } = row[name];
      return `${requests.toFixed(1)} / ${delay.toFixed(2)} / ${late.toFixed(1)}`;
    });
  const head = situationNames.map((name) => `${name}: ${parameters.situations[name].title}`);
  const rowsOf = (rows: ReadonlyMap<string, Row>) => [...rows].map(([name, row]) => [name, ...cells(row)]);
  const bounds = situationNames.map((name) => `${name} ${boundWithoutProgress(name).toFixed(0)} s`);
  return [
    `Waiting on a virtual clock, ${jobs} jobs a cell: requests / mean delay until the end is seen, s / its 95th percentile, s`,
    "",
    "Others, progress of mixed shapes:",
    "",
    table([["policy", ...head], ...rowsOf(others)]),
    "",
    "This provider, by the shape of the progress; on B it knows the last duration:",
    "",
    table([["progress", ...head], ...rowsOf(ours), ["linear, B unknown too", ...cells(unknown)]]),
    "",
    `Without progress no policy can be below these requests × mean delay: ${bounds.join(", ")}.`,
    `Jobs: ${JSON.stringify(parameters)}`,
  ].join("\n");
}

function panelOf(situation: SituationName, others: ReadonlyMap<string, Row>, ours: ReadonlyMap<string, Row>) {
  const own = ["linear", "mixed", "absent"].flatMap((shape) => {
    const row = ours.get(shape);
    return row ? [{ name: `ours, ${shape}`, ours: true, ...row[situation] }] : [];
  });
  return {
    title: `${situation}: ${parameters.situations[situation].title}`,
    points: [...[...others].map(([name, row]) => ({ name, ours: false, ...row[situation] })), ...own],
    bound: boundWithoutProgress(situation),
  };
}
