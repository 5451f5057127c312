/** Progress as one look saw it. */
export interface Observation {
  /** Milliseconds since the awaited thing began. */
  elapsed: number;
  /** How much was done, from 0 to 1. */
  progress: number;
}

/** What the speed foretells. Times are milliseconds. */
export interface Forecast {
  /** When the progress was first seen that the forecast counts from. */
  from: number;
  /** From then to the expected end. */
  rest: number;
  /** How far `rest` may be off: the standard deviation of its logarithm. */
  spread: number;
}

/** The speed is that of the latest stretch of so many times what is left: long enough to be exact, and not of long ago. */
const stretch = 3;

/** How much the speed may change from now on, where all is left to do; it falls with what is left. */
const changeOfSpeed = 0.5;

/** Progress that differs by less is the same. */
const same = 1e-6;

/** Bounds of `spread`: a speed is never quite even, and never without any use. */
const leastSpread = 0.02;
const greatestSpread = 0.8;

/** Reads the speed from what was seen, oldest first; undefined as long as nothing has moved on between two looks. */
export function forecast(seen: readonly Observation[]): Forecast | undefined {
  const progress = seen.at(-1)?.progress ?? 0;
  const hereIndex = seen.findLastIndex((one) => Math.abs(one.progress - progress) > same) + 1;
  const here = seen[hereIndex];
  if (here === undefined) {
    return undefined;
  }
  const earlier = seen.slice(0, hereIndex);
  const lowest = Math.min(...earlier.map((one) => one.progress));
  const step = stepOf(seen);
  // A platform that tells whole per cents has done half a one more, on average.
  const left = Math.max(step / 2, 1 - progress - step / 2, 1e-3);
  const limit = Math.max(progress - stretch * left, lowest + same);
  const anchorIndex = earlier.findLastIndex((one) => one.progress <= limit);
  const anchor = earlier[anchorIndex];
  if (anchor === undefined || anchor.progress > progress - same) {
    return undefined;
  }
  const done = progress - anchor.progress;
  const time = here.elapsed - anchor.elapsed;
  // What had not moved at the anchor, queued perhaps, began to move at some moment before the next look.
  const standing = anchor.progress <= lowest + same;
  const lateBegin = standing ? ((seen[anchorIndex + 1] ?? here).elapsed - anchor.elapsed) / time : 0;
  const spread = Math.hypot(
    (0.3 * step) / left,
    (0.4 * step) / done,
    0.3 * lateBegin,
    (changeOfSpeed * left) / Math.sqrt(done + left),
  );
  return {
    from: here.elapsed,
    rest: (left * time) / done,
    spread: Math.min(greatestSpread, Math.max(leastSpread, spread)),
  };
}

/** How much progress was taken back again in all steps back. */
export function lostProgress(seen: readonly Observation[]): number {
  return seen.reduce((sum, { progress }, index) => sum + Math.max(0, (seen[index - 1]?.progress ?? 0) - progress), 0);
}

/** Most platforms tell whole per cents; others tell more, and nothing is rounded. */
function stepOf(seen: readonly Observation[]): number {
  const isWhole = (number: number) => Math.abs(number - Math.round(number)) < same;
  return seen.every(({ progress }) => isWhole(progress * 100)) ? 0.01 : 0;
}
