import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { type Platform, startPlatform } from "../../../simulator/index";
import { markdownTable } from "../../../test/support/markdownTable";
import { BenchStack } from "../benchStack";
import { type Measurement, mean } from "../measurement";

/** The lifetime of a link, in milliseconds. An immediate second run ends within this time. */
const linkLife = 60_000;

/** The cost of one export. Times are in seconds. */
interface Cost {
  starts: number;
  requests: number;
  /** The time from the job's end to the request that finds the job ended. */
  delay: number;
  wall: number;
}

interface Result {
  /** One cost for each job time. */
  first: Cost[];
  /** The cost of an immediate second run without changes. */
  again?: Cost;
  afterExpiry?: Cost;
  /** Undefined for the curl template, which keeps no state. */
  stateBytes?: number;
  keyInClear: boolean;
}

type Side = "curl template" | "hand-written provider" | "this provider";
const programs = {
  "hand-written provider": "lab/bench/incumbents/handWritten",
  "this provider": "lab/bench/incumbents/ours",
} as const;
const sides: readonly Side[] = ["curl template", "hand-written provider", "this provider"];

/**
 * Compares this provider with the tools that users run today. For each job time, each tool exports its own site. After
 * the last job, each tool runs twice more: immediately, and after its link has expired.
 */
export async function incumbentsPart(jobTimes: readonly number[]): Promise<Measurement> {
  const result = (): Result => ({ first: [], keyInClear: false });
  const results: Record<Side, Result> = {
    "curl template": result(),
    "hand-written provider": result(),
    "this provider": result(),
  };
  for (const jobTime of jobTimes) {
    const platform = await startPlatform({ queueTime: 2_000, jobTime, linkLife });
    try {
      const isLast = jobTime === jobTimes.at(-1);
      await Promise.all(sides.map((side) => runSide(side, platform, results[side], isLast)));
    } finally {
      await platform.close();
    }
  }
  const ours = results["this provider"];
  const figures = Object.entries(results).flatMap(([side, { first, again, afterExpiry, stateBytes }]) =>
    Object.entries({
      requests: averaged(first, "requests"),
      delay: averaged(first, "delay"),
      wall: averaged(first, "wall"),
      "again.starts": again?.starts,
      "again.requests": again?.requests,
      "afterExpiry.starts": afterExpiry?.starts,
      "afterExpiry.requests": afterExpiry?.requests,
      stateBytes,
    }).flatMap(([name, value]) =>
      value === undefined ? [] : [[`incumbents.${side.replaceAll(" ", "-")}.${name}`, value]],
    ),
  );
  const times = jobTimes.map((time) => time / 1_000).join(", ");
  return {
    text: `Three ways to one export each, of ${times} s after 2 s in the queue (means)\n\n${report(results)}`,
    figures: Object.fromEntries(figures),
    // None of these values depends on the machine's speed.
    targets: [
      { name: "incumbents.first.starts", value: Math.max(...ours.first.map(({ starts }) => starts)), limit: 1 },
      { name: "incumbents.again.requests", value: ours.again?.requests ?? Number.NaN, limit: 0 },
      { name: "incumbents.afterExpiry.starts", value: ours.afterExpiry?.starts ?? Number.NaN, limit: 0 },
      { name: "incumbents.afterExpiry.requests", value: ours.afterExpiry?.requests ?? Number.NaN, limit: 1 },
      { name: "incumbents.keyInClear", value: Number(ours.keyInClear), limit: 0 },
    ],
  };
}

async function runSide(side: Side, platform: Platform, result: Result, isLast: boolean): Promise<void> {
  const domain = `${side.replaceAll(" ", "-")}.example.com`;
  const environment = {
    DOCS_PLATFORM_BASE_URL: platform.baseUrl,
    DOCS_PLATFORM_API_KEY: platform.apiKey,
    BENCH_DOMAIN: domain,
  };
  const stack = side === "curl template" ? undefined : await BenchStack.create(programs[side], environment);
  const script = () =>
    promisify(execFile)("bash", [join(__dirname, "template.sh")], { env: { ...process.env, ...environment } });
  const run = () => costOf(platform, domain, () => stack?.up() ?? script());
  try {
    result.first.push(await run());
    if (isLast) {
      const minted = Date.now();
      if (stack) {
        result.stateBytes = await stack.stateBytes("dynamic");
        result.keyInClear = readFileSync(stack.stateFile, "utf8").includes(platform.apiKey);
      }
      result.again = await run();
      await sleep(Math.max(0, minted + linkLife - Date.now()));
      result.afterExpiry = await run();
    }
    await stack?.destroy();
  } finally {
    stack?.remove();
  }
}

/** Runs a tool once, and reads its cost from the platform's own log. */
async function costOf(platform: Platform, domain: string, run: () => Promise<unknown>): Promise<Cost> {
  const jobsOf = () => platform.jobs.list().filter((job) => job.domain === domain);
  const jobsBefore = jobsOf().length;
  const before = platform.requests.length;
  const begin = performance.now();
  await run();
  const wall = (performance.now() - begin) / 1_000;
  const jobs = jobsOf();
  const own = platform.requests.slice(before).filter(({ path }) => jobs.some(({ jobId }) => path.includes(jobId)));
  const starts = jobs.length - jobsBefore;
  const completedAt = jobs.at(-1)?.completedAt ?? 0;
  const noticed = own.find(({ operation, at }) => operation === "getExport" && at >= completedAt);
  const delay = noticed && starts > 0 ? (noticed.at - completedAt) / 1_000 : 0;
  return { starts, requests: own.length + starts, delay, wall };
}

function report(results: Record<Side, Result>): string {
  const row = (title: string, of: (result: Result) => string) => [title, ...Object.values(results).map(of)];
  return markdownTable([
    ["", ...sides],
    row("requests of an export", ({ first }) => averaged(first, "requests").toFixed(1)),
    row("completion noticed after", ({ first }) => `${averaged(first, "delay").toFixed(1)} s`),
    row("wall time", ({ first }) => `${averaged(first, "wall").toFixed(1)} s`),
    row("run again: jobs started, requests", ({ again }) => `${again?.starts}, ${again?.requests}`),
    row("run again after the link's end", ({ afterExpiry }) => `${afterExpiry?.starts}, ${afterExpiry?.requests}`),
    row("state", ({ stateBytes }) => (stateBytes === undefined ? "none" : `${stateBytes} B`)),
    row("the key in the state in clear", ({ keyInClear }) => (keyInClear ? "yes" : "no")),
  ]);
}

function averaged(costs: readonly Cost[], measure: keyof Cost): number {
  return mean(costs.map((cost) => cost[measure]));
}
