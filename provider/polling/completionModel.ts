/**
 * One way in which a job may go on: it ends at a log-logistic time after `begin`, with this median. The greater `steepness`, the
 * closer the end is to the median; an end far beyond it stays possible. Times are milliseconds.
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

/** The steepness for a time whose logarithm has this standard deviation. */
export function steepnessOf(spread: number): number {
  return Math.PI / Math.sqrt(3) / spread;
}

/** The first step of the integration below, in milliseconds. Each later step is this part of the rest so far. */
const firstStep = 250;
const laterStep = 0.06;

/**
 * How long to rest before the next poll. This is the inspection rule: where one poll costs as much as `pollCost` of delay,
 * the best interval is √(2 · pollCost / hazard). The hazard is the rate at which the job ends now. It changes during a rest,
 * so the density of polls, √(hazard / (2 · pollCost)), is integrated until one poll is due. All times are milliseconds.
 */
export function optimalRest(model: CompletionModel, now: number, pollCost: number, longest: number): number {
  let due = 0;
  let rest = 0;
  let before = chanceAfter(model, now);
  while (rest < longest) {
    const step = Math.max(firstStep, rest * laterStep);
    const after = chanceAfter(model, now + rest + step);
    const dueInStep = Math.sqrt((Math.log(before / after) * step) / (2 * pollCost));
    if (due + dueInStep >= 1) {
      return Math.min(longest, rest + (step * (1 - due)) / dueInStep);
    }
    due += dueInStep;
    rest += step;
    before = after;
  }
  return longest;
}

/** The probability that the job ends after `time`. */
function chanceAfter(model: CompletionModel, time: number): number {
  let chance = 0;
  for (const { weight, begin, median, steepness } of model) {
    const age = Math.max(0, time - begin) / median;
    chance += weight / (1 + age ** steepness);
  }
  // It is never 0, since it is a divisor.
  return Math.max(chance, Number.MIN_VALUE);
}
