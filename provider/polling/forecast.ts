/** Progress as one poll saw it. */
export interface Observation {
  /** Milliseconds since the job began. */
  elapsed: number;
  /** How much was done, from 0 to 1. */
  progress: number;
}

/** When a job should end, by the speed of its progress. Times are milliseconds. */
export interface Forecast {
  /** When the latest progress was seen for the first time. */
  from: number;
  /** The expected time from then to the end. */
  remaining: number;
  /** How uncertain `remaining` is: the standard deviation of its logarithm. */
  spread: number;
}

/**
 * The speed is measured over the latest part of the job, which is this many times as long as what is left: long enough to be
 * exact, and recent.
 */
const stretch = 3;

/** Progress that differs by less is the same. */
const same = 1e-6;

/** Bounds of `spread`: a speed is never quite even, and always tells something. */
const leastSpread = 0.02;
const greatestSpread = 0.8;

/** Calculates the forecast from all observations, oldest first; undefined until two polls have seen different progress. */
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
  // A platform that shows whole per cents has done half a per cent more, on average.
  const left = Math.max(step / 2, 1 - progress - step / 2, 1e-3);
  const limit = Math.max(progress - stretch * left, lowest + same);
  const anchorIndex = earlier.findLastIndex((one) => one.progress <= limit);
  const anchor = earlier[anchorIndex];
  if (anchor === undefined || anchor.progress > progress - same) {
    return undefined;
  }
  const done = progress - anchor.progress;
  const time = here.elapsed - anchor.elapsed;
  // At the anchor the job may still have been queued. It began to move at some moment before the next poll.
  const wasStill = anchor.progress <= lowest + same;
  const firstInterval = wasStill ? (seen[anchorIndex + 1] ?? here).elapsed - anchor.elapsed : 0;
  return {
    from: here.elapsed,
    remaining: (left * time) / done,
    spread: spreadOf({ left, done, time, step, firstInterval }),
  };
}

/**
 * The standard deviation of a value that is uniform in an interval is 1/√12 ≈ 0.3 of the interval. That of the difference of
 * two such values is 1/√6 ≈ 0.4.
 */
const uniform = 0.3;
const uniformDifference = 0.4;

/** How much the speed may change where the whole job is left. It is an assumption, which bench/pacing tests. */
const changeOfSpeed = 0.5;

interface Measured {
  left: number;
  done: number;
  time: number;
  step: number;
  firstInterval: number;
}

/**
 * The standard deviation of the logarithm of `left · time / done`: the relative errors of the factors are independent, so
 * their squares add up. `left` is rounded once, and `done` at both of its ends. The job began to move anywhere in the first
 * interval. The speed may still change, by less the less is left, and by less the longer it was measured.
 */
function spreadOf({ left, done, time, step, firstInterval }: Measured): number {
  const errorOfLeft = (uniform * step) / left;
  const errorOfDone = (uniformDifference * step) / done;
  const errorOfBegin = (uniform * firstInterval) / time;
  const errorOfSpeed = (changeOfSpeed * left) / Math.sqrt(done + left);
  const spread = Math.hypot(errorOfLeft, errorOfDone, errorOfBegin, errorOfSpeed);
  return Math.min(greatestSpread, Math.max(leastSpread, spread));
}

/** The sum of all decreases of progress. */
export function lostProgress(seen: readonly Observation[]): number {
  return seen.reduce((sum, { progress }, index) => sum + Math.max(0, (seen[index - 1]?.progress ?? 0) - progress), 0);
}

/** The rounding of the progress: most platforms show whole per cents; where one shows more, nothing is rounded. */
function stepOf(seen: readonly Observation[]): number {
  const isWhole = (number: number) => Math.abs(number - Math.round(number)) < same;
  return seen.every(({ progress }) => isWhole(progress * 100)) ? 0.01 : 0;
}
