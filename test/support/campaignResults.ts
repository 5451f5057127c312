import { appendFileSync, existsSync, readFileSync } from "node:fs";

/** One lifecycle of a campaign. */
export interface CampaignResult {
  /** What went wrong on purpose: a toxic, a kill. */
  readonly fault: string;
  /** Jobs that the platform accepted. */
  readonly started: number;
  /** Of them, those that no state knew in the end. */
  readonly lost: number;
  /** Runs that sent nothing, or no more, since the answer to a start was lost, and asked what to do. */
  readonly asked: number;
  /** Milliseconds until it was over, well or with an error that says what is. */
  readonly time: number;
}

/** Names the file that tests append their results to; unset, nothing is kept. */
export const resultsVariable = "CAMPAIGN_RESULTS";

/** Keeps one result for the table of `npm run campaign`. */
export function noteResult(result: CampaignResult): void {
  const file = process.env[resultsVariable];
  if (file) {
    appendFileSync(file, `${JSON.stringify(result)}\n`);
  }
}

/** Keeps lines for `npm run campaign` to print at its end, and prints them now where it does not run. */
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

/** A line for each kind of fault, in the order of the names, and one for all of them. */
export function resultTable(results: readonly CampaignResult[]): string {
  const faults = [...new Set(results.map(({ fault }) => fault))].sort();
  const rows = faults.map((fault) =>
    row(
      fault,
      results.filter((result) => result.fault === fault),
    ),
  );
  const cells = [
    ["fault or kill", "runs", "jobs started", "jobs lost", "runs that asked", "longest time to a clear end"],
    ...rows,
    row("all", results),
  ];
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((line) => (line[column] ?? "").length)));
  return cells.map((line) => `| ${line.map((cell, column) => pad(cell, column, widths)).join(" | ")} |`).join("\n");
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

function pad(cell: string, column: number, widths: readonly number[]): string {
  const width = widths[column] ?? 0;
  return column === 0 ? cell.padEnd(width) : cell.padStart(width);
}
