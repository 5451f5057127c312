export interface ProgressObservation {
  /** In milliseconds since any fixed moment. */
  at: number;
  progress: number;
}

/** The expected end of a job. Times are milliseconds. */
export interface JobEndForecast {
  /** The time at which the forecast begins, on the clock of the observations. */
  from: number;
  remaining: number;
  /** The uncertainty of `remaining`: the standard deviation of its logarithm. */
  spread: number;
}

/** An observation from which the speed is measured. */
interface Anchor extends ProgressObservation {
  /** How inexact `at` is, in milliseconds; 0 if it is exact. */
  width: number;
}

/**
 * The speed is measured over the latest part of the job, which is `stretch` times as long as the remaining part. A
 * longer part would include old speeds. In a shorter part, the rounding of the progress would make the speed inexact.
 */
const stretch = 3;

/** Platforms round the progress to these steps. The usual step is one per cent. */
const usualStep = 0.01;
const steps = [0.25, 0.2, 0.1, 0.05, usualStep];

const same = 1e-6;

/** A job that shows 100 % may still run, so a forecast assumes that at least this part remains. */
const leastLeft = 1e-3;

/** It is not zero, because the speed of every job varies a little. */
const leastSpread = 0.02;

/**
 * Calculates a forecast from each possible anchor, and returns the most certain forecast.
 * @param all the observations, oldest first.
 * @param begin the time at which the job began, if known: milliseconds on the clock of the observations.
 * @returns undefined until the progress has increased once. If `begin` is known, a first progress above 0 counts as an
 * increase.
 */
export function forecastJobEnd(
  all: readonly ProgressObservation[],
  begin: number | undefined,
): JobEndForecast | undefined {
  const fall = all.findLastIndex(({ progress }, index) => progress < (all[index - 1]?.progress ?? 0));
  const seen = all.slice(Math.max(0, fall));
  const began = fall > 0 ? undefined : begin;
  const progress = seen.at(-1)?.progress;
  const hereIndex = seen.findLastIndex((one) => one.progress !== progress) + 1;
  const [first, here] = [seen[0], seen[hereIndex]];
  if (first === undefined || here === undefined) {
    return undefined;
  }
  // One value such as 50 % does not show the step to which the platform rounds. So the largest possible step is assumed
  // until the progress changes. After a change, the step is at most the usual step.
  const step = hereIndex === 0 ? stepOf(seen) : Math.min(usualStep, stepOf(seen));
  // The platform rounds the progress down, by half a step on average. So the remaining part is half a step smaller than
  // the progress shows.
  const left = Math.max(step / 2, 1 - here.progress - step / 2, leastLeft);
  const limit = here.progress - stretch * left;
  const anchors = anchorsIn(seen.slice(0, hereIndex + 1), limit);
  if (began !== undefined && first.progress > Math.max(0, limit)) {
    anchors.push({ at: began, progress: 0, width: first.at - began });
  }
  return anchors
    .filter((anchor) => anchor.progress < here.progress - same && anchor.at < here.at)
    .map((anchor) => extrapolate(anchor, here, left, step))
    .sort((a, b) => a.spread - b.spread)[0];
}

/**
 * Returns the observations from which the speed may be measured. They begin with the last observation whose progress is
 * not above `limit`. If every progress is above `limit`, they begin with the last observation of the lowest progress.
 * The latest observation is left out.
 */
function anchorsIn(seen: readonly ProgressObservation[], limit: number): Anchor[] {
  const lowest = Math.min(...seen.map(({ progress }) => progress));
  const start = seen.findLastIndex(({ progress }) => progress <= Math.max(lowest, limit));
  return seen.slice(start, -1).map(({ at, progress }, index) => {
    // At the lowest progress, the job may still be in a queue. So its work began at an unknown time between this poll
    // and the next one.
    const width = progress > lowest ? 0 : (seen[start + index + 1]?.at ?? at) - at;
    return { at: at + width / 2, progress, width };
  });
}

function stepOf(seen: readonly ProgressObservation[]): number {
  const isWhole = (number: number) => Math.abs(number - Math.round(number)) < same;
  return steps.find((step) => seen.every(({ progress }) => isWhole(progress / step))) ?? 0;
}

/** The standard deviation of a random value from 0 to 1 (1/√12). */
const uniform = 0.3;
/** The standard deviation of the difference of two random values from 0 to 1 (1/√6). */
const uniformDifference = 0.4;

/**
 * The relative error of a forecast at the start of a job, because the speed may change later. lab/bench/pacing tests
 * this assumption.
 */
const changeOfSpeed = 0.5;

/**
 * Assumes that the speed stays the same until the end of the job. Each argument of `hypot` is a relative error of the
 * remaining time. The errors are independent, so their squares add up. The causes, in order:
 * - `left` follows from a rounded progress.
 * - `done` is the difference of two rounded values.
 * - The time of the anchor may be inexact.
 * - The speed may change before the job ends. This error is small if `left` is small or `done` is large.
 */
function extrapolate(anchor: Anchor, here: ProgressObservation, left: number, step: number): JobEndForecast {
  const done = here.progress - anchor.progress;
  const time = here.at - anchor.at;
  const spread = Math.hypot(
    (uniform * step) / left,
    (uniformDifference * step) / done,
    (uniform * anchor.width) / time,
    (changeOfSpeed * left) / Math.sqrt(done + left),
  );
  return { from: here.at, remaining: (left * time) / done, spread: Math.max(leastSpread, spread) };
}
