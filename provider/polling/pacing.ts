/**
 * When to look next. A look costs a request, and the time from the end to the look that sees it is lost to whoever waits:
 * the inspection problem of the textbooks. In short:
 *
 * 1. The end is described by a completion model: by the speed of the progress, else by the last duration, else as of any job. The
 *    rest follows from the model alone: the likelier the end, the shorter (`optimalRest`).
 * 2. The speed counts from the first movement, so a queue is no part of it (`forecast`). Since a speed may change, a tenth
 *    of the model is that the end comes much later; so looks grow rarer again where an expected end does not come.
 * 3. The first forecasts are wild, so no rest is longer than one and a half times the time passed, or at the begin an
 *    eighth of the last duration; before progress is told, a third of the time passed. Progress that goes back is trusted
 *    less each time. Only of a job that tells nothing but its end, no first looks are worth their cost.
 * 4. Two looks are never closer than half a second, nor further apart than two minutes. Each rest is varied by up to a
 *    tenth, so that many waits which began together do not go on in step.
 */
import { type CompletionModel, optimalRest, steepnessOf } from "./completionModel";
import { type Forecast, forecast, lostProgress, type Observation } from "./forecast";

/** What a wait knows when it decides how long to rest before the next look. Times are milliseconds. */
export interface PollContext {
  /** Since the awaited thing began. */
  elapsed: number;
  /** True where it was seen in its queue: progress that is not told yet is to be expected then. */
  sawQueue: boolean;
  /** Every progress seen in this wait, oldest first. */
  observations: readonly Observation[];
  prior?: Prior | undefined;
  /** From 0 to below 1. */
  random: () => number;
}

/** How it went the last time. */
export interface Prior {
  /** Milliseconds. */
  duration: number;
  /** How many pages there were: with it, a count of pages is progress. */
  pages?: number | undefined;
  /** How far this time may differ: the standard deviation of the logarithm. Default 0.22. */
  spread?: number | undefined;
}

/** Two looks at one thing are never closer than this; milliseconds. */
export const shortestRest = 500;

/** And never further apart, since any model can be wrong; milliseconds. */
export const longestRest = 120_000;

/** The first rest where there is progress, or will be: milliseconds, or a share of the last duration. */
const firstRest = 1_000;
const firstShareOfPrior = 1 / 8;

/** No later rest is longer than this share of the time passed, with progress and before there is any. */
const longestShareOfElapsed = { withProgress: 1.5, before: 1 / 3 };

/** How much delay one look is worth, in milliseconds: less with a speed, since there a look also makes it better known. */
const worth = { withSpeed: 190, without: 760 };

/** A job of which nothing is known: it takes minutes, or is a small one. */
const anyJob: CompletionModel = [
  { weight: 0.98, begin: 0, median: 250_000, steepness: 2.5 },
  { weight: 0.02, begin: 0, median: 25_000, steepness: 2 },
];

const defaultSpread = 0.22;

/** How likely it is that the last duration, or the speed so far, says little; and how a thing goes on then. */
const changedDuration = { weight: 0.08, steepness: 2 };
const changedSpeed = { weight: 0.1, steepness: 2, leastShareOfElapsed: 0.15 };

/** A rest beyond the expected end is at least this share of the time since. */
const overdueShare = 1 / 30;

/** Progress that goes back is trusted less: the shortest rest grows by this share of the time passed for each 100 % lost. */
const shareForLoss = 1 / 50;

const variation = 0.1;

/** Milliseconds until the next look. */
export function nextRest(context: PollContext): number {
  const varied = plannedRest(context) * (1 + variation * (2 * context.random() - 1));
  return Math.min(longestRest, Math.max(shortestRest, varied));
}

function plannedRest({ elapsed, sawQueue, observations, prior }: PollContext): number {
  const foretold = forecast(observations);
  const rest = foretold ? restBySpeed(elapsed, foretold) : restWithoutSpeed(elapsed, prior);
  const told = observations.length > 0;
  if (!told && !sawQueue) {
    return rest;
  }
  const first = Math.max(firstRest, (prior?.duration ?? 0) * firstShareOfPrior);
  const longest = Math.max(first, elapsed * longestShareOfElapsed[told ? "withProgress" : "before"]);
  const shortest = elapsed * lostProgress(observations) * shareForLoss;
  return Math.max(shortest, Math.min(rest, longest));
}

function restWithoutSpeed(elapsed: number, prior: Prior | undefined): number {
  const model = prior ? modelByPrior(prior) : anyJob;
  return optimalRest(model, elapsed, worth.without, longestRest);
}

function modelByPrior({ duration, spread = defaultSpread }: Prior): CompletionModel {
  const { weight, steepness } = changedDuration;
  return [
    { weight: 1 - weight, begin: 0, median: duration, steepness: steepnessOf(spread) },
    { weight, begin: 0, median: duration, steepness },
  ];
}

function restBySpeed(elapsed: number, { from, rest, spread }: Forecast): number {
  const { weight, steepness, leastShareOfElapsed } = changedSpeed;
  const model = [
    { weight: 1 - weight, begin: from, median: rest, steepness: steepnessOf(spread) },
    { weight, begin: from, median: Math.max(rest, from * leastShareOfElapsed), steepness },
  ];
  const overdue = elapsed - from - rest;
  return Math.max(optimalRest(model, elapsed, worth.withSpeed, longestRest), overdue * overdueShare);
}
