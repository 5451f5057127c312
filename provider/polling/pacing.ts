/**
 * When to poll next. Each poll costs a request. The time from the end of a job to the poll that sees it is lost to the user.
 * This is the inspection problem of the textbooks: where one poll costs as much as `pollCost` of delay, the best interval is
 * √(2 · pollCost / hazard), and the hazard is the rate at which the job ends now. In short:
 *
 * 1. A forecast says when the job should end, and how uncertain that is: by the speed of its progress (`forecast`), else by its
 *    last duration, else by what any job takes.
 * 2. Until shortly before that end a poll brings little, so the rest leads there. It grows with the power ⅔ of the time left,
 *    since a job may always go faster than it did.
 * 3. Around that end the hazard is about 1 / uncertainty. Where the end has not come, the speed has changed: the end is now
 *    uncertain by a part of the whole job, and polls grow rarer.
 * 4. The first forecasts are inexact, so no rest is longer than one and a half times the time that this wait has lasted, or 0.3
 *    times where nothing has moved yet. At the beginning of a job the limit is an eighth of the last duration. A job that was
 *    seen from its begin and shows nothing but its end has no such limits: its first polls would be wasted.
 * 5. The interval of two polls is from half a second to two minutes. Each rest is varied by up to a tenth, so that many waits
 *    which began together do not poll together.
 */
import { rests } from "../support/time/rests";
import { type Forecast, forecast, type Observation } from "./forecast";

/** What a wait knows when it decides how long to rest before the next poll. Times are milliseconds, since the epoch where they are points. */
export interface PollContext {
  now: number;
  /** When the wait began. */
  waitingSince: number;
  /** When the job began, where that is known. */
  began?: number | undefined;
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
  /** How much the next duration may differ: the standard deviation of its logarithm. Default 0.18. */
  spread?: number | undefined;
}

/** What decides the length of a rest. */
export type Reason = "speed" | "lastDuration" | "anyJob" | "timePassed";

export interface Rest {
  /** Milliseconds. */
  time: number;
  reason: Reason;
}

/** The longest first rest where progress is shown or expected: milliseconds, or a share of the last duration. */
const firstRest = 1_000;
const firstShareOfPrior = 1 / 8;

/** The longest later rest, as a share of the time waited: with progress, and where nothing has moved yet or progress went back. */
const longestShareOfWait = { moving: 1.5, still: 0.3 };

/** How much delay one poll costs, in milliseconds: less where a speed is known, since a poll also makes it more exact. */
const pollCost = { withSpeed: 200, without: 850 };

/** How long a job takes of which nothing is known. */
const anyJob = { duration: 300_000, spread: 0.55 };

const defaultSpread = 0.18;

/** How many uncertainties before the expected end polls begin to be dense, and after it the forecast counts as wrong. */
const early = 1.5;
const late = 2;

/** How far a rest leads towards an end that is far away: (this · time left) ** ⅔, in milliseconds. */
const boldness = 85;

/** What is uncertain besides: all of the time left, a share of the time since the expected end, and of a job whose forecast was wrong. */
const shareOfElapsed = 0.15;

/** After the expected end, a rest is at least this share of the time since then. */
const overdueShare = 1 / 30;

const variation = 0.1;

/** How long to rest until the next poll, and why. */
export function nextRest(context: PollContext): Rest {
  const { time, reason } = plannedRest(context);
  const varied = time * (1 + variation * (2 * context.random() - 1));
  return { time: Math.min(rests.poll.longest, Math.max(rests.poll.shortest, varied)), reason };
}

function plannedRest({ now, waitingSince, began, sawQueue, observations, prior }: PollContext): Rest {
  const bySpeed = forecast(observations, began);
  const { duration, spread = defaultSpread } = prior ?? anyJob;
  const progress = observations.at(-1)?.progress;
  const here = observations.find((one) => one.progress === progress);
  const from = here?.at ?? began ?? waitingSince;
  const expected = bySpeed ?? { from, remaining: duration * (1 - (progress ?? 0)), spread };
  const cost = progress ? pollCost.withSpeed : pollCost.without;
  const time = restFor(expected, now, now - (began ?? waitingSince), cost);
  const sawBegin = began !== undefined && waitingSince - began < firstRest;
  const isBlind = progress === undefined && !sawQueue && sawBegin;
  const first = Math.max(firstRest, sawBegin ? (prior?.duration ?? 0) * firstShareOfPrior : 0);
  const hasFallen = observations.some((one, index) => one.progress < (observations[index - 1]?.progress ?? 0));
  const mayMove = (bySpeed !== undefined && !hasFallen) || progress === 0;
  const longest = Math.max(first, (now - waitingSince) * longestShareOfWait[mayMove ? "moving" : "still"]);
  if (time > longest && !isBlind) {
    return { time: longest, reason: "timePassed" };
  }
  return { time, reason: bySpeed ? "speed" : prior ? "lastDuration" : "anyJob" };
}

function restFor({ from, remaining, spread }: Forecast, now: number, elapsed: number, cost: number): number {
  const left = from + remaining - now;
  const uncertainty = spread * remaining;
  const leap = Math.min((boldness * Math.max(0, left)) ** (2 / 3), left - early * uncertainty);
  const wrong = left < -late * uncertainty ? shareOfElapsed * elapsed : 0;
  const dense = Math.sqrt(2 * cost * Math.max(uncertainty + Math.max(left, (-left * spread) / 2), wrong));
  return Math.max(leap, dense, -left * overdueShare);
}
