export interface BenchTarget {
  name: string;
  value: number;
  limit: number;
}

export interface Measurement {
  text: string;
  /** A figure that this machine cannot measure is left out. */
  figures: Record<string, number>;
  targets: BenchTarget[];
}

/** Machines are noisy, so a value misses its target only if it exceeds the limit by more than a tenth. */
export function isMissed({ value, limit }: BenchTarget): boolean {
  return !(value <= limit * 1.1);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
