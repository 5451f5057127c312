/** A figure with an upper limit. */
export interface BenchTarget {
  name: string;
  value: number;
  /** The highest allowed value. */
  limit: number;
}

/** The result of one part of the benchmark. */
export interface Measurement {
  name: string;
  /** The report for readers: tables, and the setting they were measured in. */
  text: string;
  /** Every figure by its name. A figure that this machine cannot measure is left out. */
  figures: Record<string, number>;
  targets: BenchTarget[];
}

/** A target counts as met if it is missed by at most this share, because machines are noisy. */
const tolerance = 1.1;

export function isMissed({ value, limit }: BenchTarget): boolean {
  return !(value <= limit * tolerance);
}

/** Formats rows as a Markdown table. The first row is the head. */
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
