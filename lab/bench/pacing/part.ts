import { markdownTable } from "../../../test/support/markdownTable";
import type { BenchTarget, Measurement } from "../measurement";
import {
  type GeneratedJob,
  mixedShapes,
  parameters,
  type Shape,
  type SituationName,
  shapes,
  shortJob,
  situationNames,
} from "./generator";
import { type CellResult, fixedWaiter, measure, ourWaiter, runCell, type Waiter } from "./simulate";

type Row = Record<SituationName, CellResult>;

const fixed = "fixed 10 s";

/** The table of resumed waits has many cells. To save time, each cell gets only this share of the jobs. */
const resumedShare = 0.2;

/** The highest allowed number of requests, mean delay and 95th percentile of the delay. Delays are in seconds. */
const limits: [SituationName, string, Partial<CellResult>][] = [
  ["A", "linear", { requests: 15, delay: 0.8, late: 2.5 }],
  ["B", "linear", { requests: 11, delay: 0.7 }],
  ["C", "linear", { requests: 8, delay: 0.45 }],
  ["A", "mixed", { requests: 22.5, delay: 1.35 }],
  ["A", "absent", { requests: 49, delay: 5 }],
  ["B", "absent", { requests: 24, delay: 2.6 }],
  ["C", "absent", { requests: 14, delay: 1.8 }],
];
/** The highest allowed number of requests, and the highest allowed mean delay in seconds. */
const shortLimits = {
  "15 to 60 s, per cents": { requests: 8, delay: 0.15 },
  "15 to 60 s, per cents, resumed": { requests: 8, delay: 0.2 },
  "8 to 60 s, no progress": { requests: 14, delay: 1.8 },
} as const satisfies Record<string, Partial<CellResult>>;
/** The largest allowed ratio of the mean delay of a resumed wait to the mean delay of an uninterrupted wait. */
const longestRatio = 1.5;

interface Section {
  rows: string[][];
  targets: BenchTarget[];
}

export async function pacingPart(jobs: number): Promise<Measurement> {
  const rows = new Map<string, Row>();
  rows.set(fixed, await runRow(() => (job) => fixedWaiter(job), mixedShapes, jobs));
  for (const [name, shown] of shownProgress) {
    // In situation B, the site was exported before, so the wait knows the previous job's duration.
    rows.set(`ours, ${name}`, await runRow((situation) => ourWaiter({ knowsLast: situation === "B" }), shown, jobs));
  }
  const resumed = await runResumed(jobs * resumedShare);
  const short = await runShort(jobs);
  return {
    text: [
      `Requests / mean delay / 95th percentile of the delay, s; ${jobs} jobs a cell`,
      describe(rows),
      "Short jobs, beside polls every 10 s and every 2 s",
      markdownTable(short.rows),
      `Waits that go on in the middle of a job, beside uninterrupted ones, ${jobs * resumedShare} jobs a cell: requests / mean delay, s`,
      markdownTable(resumed.rows),
    ].join("\n\n"),
    figures: figuresOf(rows),
    targets: [...targetsOf(rows), ...short.targets, ...resumed.targets],
  };
}

const shownProgress: [string, readonly Shape[]][] = [
  ...shapes.map((shape): [string, Shape[]] => [shape, [shape]]),
  ["mixed", mixedShapes],
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
      value: cell(`ours, ${shape}`, situation)[measure as keyof CellResult],
      limit,
    })),
  );
  const besides = shownProgress.flatMap(([shape]) =>
    situationNames.map((situation) => {
      const [own, other] = [cell(`ours, ${shape}`, situation), cell(fixed, situation)];
      // A value above 1 means that our waits are worse in both figures: they send more requests, and see the end later.
      // The polls with fixed pauses have one row for all shapes, because they do not depend on the progress.
      const value = Math.min(own.requests / other.requests, own.delay / other.delay);
      return { name: `pacing.${situation}.${shape}.besideFixed10`, value, limit: 1 };
    }),
  );
  return [...direct, ...besides];
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
  const show = ({ requests, delay, late }: CellResult) =>
    `${requests.toFixed(1)} / ${delay.toFixed(2)} / ${late.toFixed(1)}`;
  return markdownTable([
    ["", ...situationNames.map((name) => `${name}: ${parameters.situations[name].title}`)],
    ...[...rows].map(([name, row]) => [name, ...situationNames.map((situation) => show(row[situation]))]),
  ]);
}

async function runShort(jobs: number): Promise<Section> {
  const { withProgress, without, latency } = parameters.shortJobs;
  const steady = (number: number) => shortJob(withProgress, number);
  const silent = (number: number): GeneratedJob => ({ ...shortJob(without, number), progressAt: () => undefined });
  const resumedAt = (number: number) => parameters.resumedAt[number % parameters.resumedAt.length] ?? 0;
  const resumed: Waiter = (job, random) =>
    ourWaiter({ latency, at: resumedAt(Math.floor(job.duration)), knowsBegin: Math.floor(job.duration) % 8 < 4 })(
      job,
      random,
    );
  const cases: [keyof typeof shortLimits, (number: number) => GeneratedJob, Waiter][] = [
    ["15 to 60 s, per cents", steady, ourWaiter({ latency })],
    ["15 to 60 s, per cents, resumed", steady, resumed],
    ["8 to 60 s, no progress", silent, ourWaiter({ latency })],
  ];
  const rows = [["jobs", "ours", "every 10 s", "every 2 s"]];
  const targets: BenchTarget[] = [];
  for (const [name, job, wait] of cases) {
    const ours = await measure(wait, job, jobs);
    const others = [
      await measure((one) => fixedWaiter(one), job, jobs),
      await measure((one) => fixedWaiter(one, 2_000), job, jobs),
    ];
    rows.push([
      name,
      ...[ours, ...others].map(({ requests, delay }) => `${requests.toFixed(1)} / ${delay.toFixed(2)}`),
    ]);
    for (const [measured, limit] of Object.entries(shortLimits[name])) {
      targets.push({ name: `pacing.${name}.${measured}`, value: ours[measured as keyof CellResult], limit });
    }
    for (const [index, other] of others.entries()) {
      const value = Math.min(ours.requests / other.requests, ours.delay / other.delay);
      targets.push({ name: `pacing.${name}.besideFixed${[10, 2][index]}`, value, limit: 1 });
    }
  }
  return { rows, targets };
}

async function runResumed(jobs: number): Promise<Section> {
  const shares = parameters.resumedAt.map((at) => `from ${at * 100} %`);
  const rows = [["progress", "jobs", "begin", "uninterrupted", ...shares, "worst ratio"]];
  const targets: BenchTarget[] = [];
  const show = ({ requests, delay }: CellResult) => `${requests.toFixed(1)} / ${delay.toFixed(2)}`;
  for (const [shape, shown] of shownProgress) {
    for (const situation of ["A", "C"] as const) {
      const uninterrupted = await runCell(ourWaiter({}), situation, shown, jobs);
      for (const knowsBegin of [true, false]) {
        const resumed: CellResult[] = [];
        for (const at of parameters.resumedAt) {
          resumed.push(await runCell(ourWaiter({ knowsBegin, at }), situation, shown, jobs));
        }
        const known = knowsBegin ? "known" : "unknown";
        // A resumed wait may see the end later if it sends fewer requests. With half as many requests, the delay may be
        // twice as long.
        const worse = ({ delay, requests }: CellResult) =>
          Math.min(delay, (delay * requests) / uninterrupted.requests) / uninterrupted.delay;
        const value = Math.max(...resumed.map(worse));
        rows.push([shape, situation, known, show(uninterrupted), ...resumed.map(show), value.toFixed(2)]);
        targets.push({ name: `pacing.resumed.${shape}.${situation}.${known}`, value, limit: longestRatio });
      }
    }
  }
  return { rows, targets };
}
