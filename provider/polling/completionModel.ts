/**
 * One way that a wait may go on: its end comes at a log-logistic time after `begin`, half of the time by `median`. The
 * greater `steepness`, the closer to it; yet an end far beyond it stays possible. Times are milliseconds.
 */
export interface MixtureComponent {
  /** The probability of this component; those of one model add up to 1. */
  weight: number;
  begin: number;
  median: number;
  steepness: number;
}

/** When a job may end: a mixture of distributions. */
export type CompletionModel = readonly MixtureComponent[];

/** The steepness of a time whose logarithm is known to a standard deviation of `spread`. */
export function steepnessOf(spread: number): number {
  return Math.PI / Math.sqrt(3) / spread;
}

/** The first step of the sum below in milliseconds, and the share of the rest so far that a later one has. */
const firstStep = 250;
const laterStep = 0.06;

/**
 * How long to rest where one look is worth `worth` of delay; all in milliseconds. This is the inspection rule: the best
 * distance of looks is √(2 · worth / hazard), where hazard is the chance that the end comes at once. During a rest the
 * hazard changes, so the rest is over when the looks that were due in it, the sum of √(hazard / (2 · worth)), come to one.
 */
export function optimalRest(model: CompletionModel, now: number, worth: number, longest: number): number {
  let due = 0;
  let rest = 0;
  let before = chanceAfter(model, now);
  while (rest < longest) {
    const step = Math.max(firstStep, rest * laterStep);
    const after = chanceAfter(model, now + rest + step);
    const dueInStep = Math.sqrt((Math.log(before / after) * step) / (2 * worth));
    if (due + dueInStep >= 1) {
      return Math.min(longest, rest + (step * (1 - due)) / dueInStep);
    }
    due += dueInStep;
    rest += step;
    before = after;
  }
  return longest;
}

/** The chance that the end comes after `time`. */
function chanceAfter(model: CompletionModel, time: number): number {
  let chance = 0;
  for (const { weight, begin, median, steepness } of model) {
    const age = Math.max(0, time - begin) / median;
    chance += weight / (1 + age ** steepness);
  }
  // Above nothing, however late it is.
  return Math.max(chance, Number.MIN_VALUE);
}
