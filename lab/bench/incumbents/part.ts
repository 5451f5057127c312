import { type BenchTarget, type Measurement, table } from "../part";
import { type Cost, compare, type Result } from "./compare";

/**
 * Compares the tools that users run today with this provider, on one platform at the same time.
 * @param jobTimes how long the jobs run, in milliseconds.
 */
export async function incumbentsPart(jobTimes: readonly number[]): Promise<Measurement> {
  const results = await compare(jobTimes);
  const figures: Record<string, number> = {};
  for (const [name, result] of Object.entries(results)) {
    const key = `incumbents.${name.replaceAll(" ", "-")}`;
    for (const measure of ["requests", "delay", "wall"] as const) {
      figures[`${key}.${measure}`] = mean(result.first, measure);
    }
    figures[`${key}.again.starts`] = result.again.starts;
    figures[`${key}.again.requests`] = result.again.requests;
    figures[`${key}.afterExpiry.starts`] = result.afterExpiry.starts;
    figures[`${key}.afterExpiry.requests`] = result.afterExpiry.requests;
    if (result.stateBytes !== undefined) {
      figures[`${key}.stateBytes`] = result.stateBytes;
    }
  }
  const heading = `Three ways to one export each, of ${jobTimes.map((time) => time / 1_000).join(", ")} s after 2 s in the queue (means)`;
  return { name: "incumbents", text: `${heading}\n\n${report(results)}`, figures, targets: targetsOf(results) };
}

/** Counts of our side, which noise cannot change. */
function targetsOf(results: Record<string, Result>): BenchTarget[] {
  const ours = results["this provider"];
  if (!ours) {
    throw new Error("this provider was not compared");
  }
  return [
    { name: "incumbents.first.starts", value: Math.max(...ours.first.map(({ starts }) => starts)), limit: 1 },
    { name: "incumbents.again.requests", value: ours.again.requests, limit: 0 },
    { name: "incumbents.afterExpiry.starts", value: ours.afterExpiry.starts, limit: 0 },
    { name: "incumbents.afterExpiry.requests", value: ours.afterExpiry.requests, limit: 1 },
    { name: "incumbents.keyInClear", value: Number(ours.keyInClear), limit: 0 },
  ];
}

function report(results: Record<string, Result>): string {
  const names = Object.keys(results);
  const row = (title: string, of: (result: Result) => string) => [title, ...Object.values(results).map(of)];
  return table([
    ["", ...names],
    row("requests of an export", ({ first }) => mean(first, "requests").toFixed(1)),
    row("completion noticed after", ({ first }) => `${mean(first, "delay").toFixed(1)} s`),
    row("wall time", ({ first }) => `${mean(first, "wall").toFixed(1)} s`),
    row("run again: jobs started, requests", ({ again }) => `${again.starts}, ${again.requests}`),
    row("run again after the link's end", ({ afterExpiry }) => `${afterExpiry.starts}, ${afterExpiry.requests}`),
    row("state", ({ stateBytes }) => (stateBytes === undefined ? "none" : `${stateBytes} B`)),
    row("the key in the state in clear", ({ keyInClear }) => (keyInClear ? "yes" : "no")),
  ]);
}

function mean(costs: readonly Cost[], measure: keyof Cost): number {
  return costs.reduce((sum, cost) => sum + cost[measure], 0) / costs.length;
}
