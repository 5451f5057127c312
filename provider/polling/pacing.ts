/**
 * When to poll next. Each poll costs a request. The time from the end of a job to the poll that sees it is lost to the user.
 * This is the inspection problem of the textbooks. In short:
 *
 * 1. A completion model says when the job may end: by the speed of its progress, else by its last duration, else by what any job
 *    takes. The rest follows from the model alone: the likelier the end, the shorter the rest (`optimalRest`).
 * 2. The speed counts from the first movement, so time in a queue is no part of it (`forecast`). Since the speed may change, a
 *    tenth of the model is that the end comes much later. So polls grow rarer again where an expected end does not come.
 * 3. The first forecasts are inexact, so no rest is longer than one and a half times the time passed. At the beginning the limit
 *    is an eighth of the last duration; while no progress is shown it is a third of the time passed. Progress that goes back
 *    is trusted less each time. A job that shows nothing but its end has no such limits: its first polls would be wasted.
 * 4. The interval of two polls is from half a second to two minutes. Each rest is varied by up to a tenth, so that many waits
 *    which began together do not poll together.
 */
import { type CompletionModel, optimalRest, steepnessOf } from "./completionModel";
import { type Forecast, forecast, lostProgress, type Observation } from "./forecast";

/** What a wait knows when it decides how long to rest before the next poll. Times are milliseconds. */
export interface PollContext {
  /** Since the job began. */
  elapsed: number;
  /** True where the job was seen in a queue: then it may show progress later. */
  sawQueue: boolean;
  /** Every progress seen in this wait, oldest first. */
  observations: readonly Observation[];
  prior?: Prior | undefined;
  /** From 0 to below 1. */
  random: () => number;
}

/** How the last job of this kind went. */
export interface Prior {
  /** Milliseconds. */
  duration: number;
  /** How many pages it had. With this number, a count of pages is progress. */
  pages?: number | undefined;
  /** How much the next duration may differ: the standard deviation of its logarithm. Default 0.22. */
  spread?: number | undefined;
}

/** The shortest interval of two polls of one job; milliseconds. */
export const shortestRest = 500;

/** The longest interval, since any model can be wrong; milliseconds. */
export const longestRest = 120_000;

/** The longest first rest where progress is shown or expected: milliseconds, or a share of the last duration. */
const firstRest = 1_000;
const firstShareOfPrior = 1 / 8;

/** The longest later rest, as a share of the time passed: with progress, and before any is shown. */
const longestShareOfElapsed = { withProgress: 1.5, before: 1 / 3 };

/** How much delay one poll costs, in milliseconds: less where a speed is known, since a poll also makes it more exact. */
const pollCost = { withSpeed: 190, without: 760 };

/** A job of which nothing is known: it takes minutes, or it is a small one. */
const anyJob: CompletionModel = [
  { weight: 0.98, begin: 0, median: 250_000, steepness: 2.5 },
  { weight: 0.02, begin: 0, median: 25_000, steepness: 2 },
];

const defaultSpread = 0.22;

/** How likely it is that the last duration, or the speed so far, is wrong; and how the job goes on then. */
const changedDuration = { weight: 0.08, steepness: 2 };
const changedSpeed = { weight: 0.1, steepness: 2, leastShareOfElapsed: 0.15 };

/** After the expected end, a rest is at least this share of the time since then. */
const overdueShare = 1 / 30;

/** The shortest rest grows by this share of the time passed for each 100 % of progress that was lost. */
const shareForLoss = 1 / 50;

const variation = 0.1;

/** Milliseconds until the next poll. */
export function nextRest(context: PollContext): number {
  const varied = plannedRest(context) * (1 + variation * (2 * context.random() - 1));
  return Math.min(longestRest, Math.max(shortestRest, varied));
}

function plannedRest({ elapsed, sawQueue, observations, prior }: PollContext): number {
  const expected = forecast(observations);
  const rest = expected ? restBySpeed(elapsed, expected) : restWithoutSpeed(elapsed, prior);
  const hasProgress = observations.length > 0;
  if (!hasProgress && !sawQueue) {
    return rest;
  }
  const first = Math.max(firstRest, (prior?.duration ?? 0) * firstShareOfPrior);
  const longest = Math.max(first, elapsed * longestShareOfElapsed[hasProgress ? "withProgress" : "before"]);
  const shortest = elapsed * lostProgress(observations) * shareForLoss;
  return Math.max(shortest, Math.min(rest, longest));
}

function restWithoutSpeed(elapsed: number, prior: Prior | undefined): number {
  const model = prior ? modelByPrior(prior) : anyJob;
  return optimalRest(model, elapsed, pollCost.without, longestRest);
}

function modelByPrior({ duration, spread = defaultSpread }: Prior): CompletionModel {
  const { weight, steepness } = changedDuration;
  return [
    { weight: 1 - weight, begin: 0, median: duration, steepness: steepnessOf(spread) },
    { weight, begin: 0, median: duration, steepness },
  ];
}

function restBySpeed(elapsed: number, { from, remaining, spread }: Forecast): number {
  const { weight, steepness, leastShareOfElapsed } = changedSpeed;
  const model = [
    { weight: 1 - weight, begin: from, median: remaining, steepness: steepnessOf(spread) },
    { weight, begin: from, median: Math.max(remaining, from * leastShareOfElapsed), steepness },
  ];
  const overdue = elapsed - from - remaining;
  return Math.max(optimalRest(model, elapsed, pollCost.withSpeed, longestRest), overdue * overdueShare);
}
