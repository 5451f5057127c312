export interface ProgressObservation {
  /** The time in milliseconds since any fixed moment. */
  at: number;
  progress: number;
}

/** The expected end of a job. Times are milliseconds. */
export interface Forecast {
  /** The time at which the forecast begins, on the same clock as the observations. */
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
 * The speed is measured over the latest part of the job. This number is the length of that part, divided by the length
 * of the remaining part. In a longer part, the measured speed would be old. In a shorter part, it would be inexact.
 */
const stretch = 3;

/** The steps to which platforms round the progress. The usual step is one per cent. */
const usualStep = 0.01;
const steps = [0.25, 0.2, 0.1, 0.05, usualStep];

const same = 1e-6;

/** The smallest remaining part of a job. It is not zero, because nobody has seen the end yet. */
const leastLeft = 1e-3;

/** The smallest `spread`, because a speed is never completely even. */
const leastSpread = 0.02;

/**
 * Calculates a forecast from each possible anchor, and returns the most certain one. The observations are ordered,
 * oldest first.
 * @param begin the time at which the job began, without any progress; undefined if unknown. In milliseconds, on the
 * same clock as the observations.
 * @returns undefined until the progress has increased once.
 */
export function forecastJobEnd(all: readonly ProgressObservation[], begin: number | undefined): Forecast | undefined {
  const fall = all.findLastIndex(({ progress }, index) => progress < (all[index - 1]?.progress ?? 0));
  const seen = all.slice(Math.max(0, fall));
  const began = fall > 0 ? undefined : begin;
  const progress = seen.at(-1)?.progress;
  const hereIndex = seen.findLastIndex((one) => one.progress !== progress) + 1;
  const [first, here] = [seen[0], seen[hereIndex]];
  if (first === undefined || here === undefined) {
    return undefined;
  }
  // Before the first change of the progress, a round number such as 50 % may mean that the platform shows only round
  // numbers.
  const step = hereIndex === 0 ? stepOf(seen) : Math.min(usualStep, stepOf(seen));
  // The platform rounds the progress down, by half a step on average, so the remaining part is half a step smaller.
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
 * Returns the observations from which the speed may be measured: the last one whose progress is at most `limit`, and
 * all later ones.
 */
function anchorsIn(seen: readonly ProgressObservation[], limit: number): Anchor[] {
  const lowest = Math.min(...seen.map(({ progress }) => progress));
  const start = seen.findLastIndex(({ progress }) => progress <= Math.max(lowest, limit));
  return seen.slice(start, -1).map(({ at, progress }, index) => {
    // While the job has the lowest progress, it may wait in a queue. It began to progress at some time before the next
    // poll.
    const width = progress > lowest ? 0 : (seen[start + index + 1]?.at ?? at) - at;
    return { at: at + width / 2, progress, width };
  });
}

function stepOf(seen: readonly ProgressObservation[]): number {
  const isWhole = (number: number) => Math.abs(number - Math.round(number)) < same;
  return steps.find((step) => seen.every(({ progress }) => isWhole(progress / step))) ?? 0;
}

/**
 * Standard deviations, as parts of an interval. A value that is uniform in the interval has the standard deviation
 * 1/√12 ≈ 0.3. The difference of two such values has the standard deviation 1/√6 ≈ 0.4.
 */
const uniform = 0.3;
const uniformDifference = 0.4;

/**
 * The relative error that comes from later changes of the speed, if the whole job remains. The value is an assumption,
 * which lab/bench/pacing tests.
 */
const changeOfSpeed = 0.5;

/**
 * Extends the speed between two observations to the end of the job. Each argument of `hypot` is a relative error of
 * `left · time / done`. The errors are independent, so their squares add up. The causes of the errors, in order:
 * - `left` is rounded.
 * - `done` is rounded at its beginning and at its end.
 * - The time of the anchor may be inexact.
 * - The speed may change in the rest of the job. This error is smaller for a short rest and for a long measurement.
 */
function extrapolate(anchor: Anchor, here: ProgressObservation, left: number, step: number): Forecast {
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
