import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { markdownTable } from "./markdownTable";

/** The result of one life: a stack that is created, used and destroyed. */
export interface CampaignResult {
  /** A broken connection (toxic), or a kill. */
  readonly fault: string;
  /** The number of jobs that the platform accepted. */
  readonly started: number;
  /** The number of accepted jobs that no state contained at the end. */
  readonly lost: number;
  /** The number of runs that got no answer to a start, stopped, and asked the user what to do. */
  readonly asked: number;
  /** The time in milliseconds until a run succeeded, or ended with an error that says what happened. */
  readonly time: number;
}

/** This environment variable contains the name of the results file. If it is unset, nothing is recorded. */
export const resultsVariable = "CAMPAIGN_RESULTS";

export function noteResult(result: CampaignResult): void {
  const file = process.env[resultsVariable];
  if (file) {
    appendFileSync(file, `${JSON.stringify(result)}\n`);
  }
}

/** `npm run campaign` prints these lines at its end. Outside a campaign, they are printed immediately. */
export function noteLines(lines: readonly string[]): void {
  const file = process.env[resultsVariable];
  const text = lines.map((line) => `${line}\n`).join("");
  if (file) {
    appendFileSync(linesFile(file), text);
  } else {
    process.stdout.write(text);
  }
}

export function readLines(file: string): string {
  return existsSync(linesFile(file)) ? readFileSync(linesFile(file), "utf8") : "";
}

function linesFile(file: string): string {
  return `${file}.txt`;
}

export function readResults(file: string): CampaignResult[] {
  if (!existsSync(file)) {
    return [];
  }
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
}

/** Returns a Markdown table with a row for each kind of fault, sorted by name, and a row for the total. */
export function resultTable(results: readonly CampaignResult[]): string {
  const faults = [...new Set(results.map(({ fault }) => fault))].sort();
  const rows = faults.map((fault) =>
    row(
      fault,
      results.filter((result) => result.fault === fault),
    ),
  );
  const head = ["fault or kill", "runs", "jobs started", "jobs lost", "runs that asked", "longest time to a clear end"];
  return markdownTable([head, ...rows, row("all", results)]);
}

function row(name: string, results: readonly CampaignResult[]): string[] {
  const sum = (values: number[]) => String(values.reduce((total, value) => total + value, 0));
  const longest = results.reduce((most, { time }) => Math.max(most, time), 0);
  return [
    name,
    String(results.length),
    sum(results.map(({ started }) => started)),
    sum(results.map(({ lost }) => lost)),
    sum(results.map(({ asked }) => asked)),
    `${(longest / 1_000).toFixed(1)} s`,
  ];
}
