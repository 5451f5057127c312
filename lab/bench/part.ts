/** A figure that must not pass its limit. */
export interface BenchTarget {
  name: string;
  value: number;
  /** The highest value that is good. */
  limit: number;
}

/** One part of the benchmark, as it ended. */
export interface Part {
  name: string;
  /** For readers: tables, and what they were made with. */
  text: string;
  /** Every figure by name; a figure that this machine cannot show is left out. */
  figures: Record<string, number>;
  targets: BenchTarget[];
}

/** A target that is missed by no more than this is met as far as a noisy machine can tell. */
const tolerance = 1.1;

export function isMissed({ value, limit }: BenchTarget): boolean {
  return !(value <= limit * tolerance);
}

/** Rows as a Markdown table, the first one its head. */
export function table([head = [], ...rows]: readonly string[][]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map((_, index) => (index === 0 ? "---" : "---:"))), ...rows.map(line)].join("\n");
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}
