/**
 * Decides when to poll next. Each poll costs a request. The time from the end of a job to the poll that sees the end is
 * lost to the user. Textbooks call this the inspection problem: if one poll costs as much as `pollCost` of delay, the
 * best interval is √(2 · pollCost / hazard). The hazard is the rate at which the job ends now. In short:
 *
 * 1. A forecast says when the job should end, and how uncertain this end is. It uses the speed of the job's progress
 *    (`forecast`), else the duration of the last job, else the duration of any job.
 * 2. Until shortly before the expected end, a poll is of little use, so the rest leads almost to this end. The rest
 *    grows with the power ⅔ of the time left, since a job may always become faster.
 * 3. Around the expected end, the hazard is about 1 / uncertainty. If the job does not end there, its speed has
 *    changed: the end is now uncertain by a part of the whole job, and polls become rarer.
 * 4. The first forecasts are inexact. So no rest is longer than 1.5 times the time that this wait has lasted, or 0.3
 *    times if nothing has moved yet. At the beginning of a job, the limit is an eighth of the last duration. These
 *    limits do not apply to a job that was seen from its beginning and shows no progress: its first polls would be
 *    useless.
 * 5. The interval between two polls is from half a second to two minutes. Each rest varies by up to a tenth, so that
 *    waits that began together do not poll together.
 */
import { delays } from "../support/time/delays";
import { type Forecast, forecast, type Observation } from "./forecast";

/**
 * The data that decide how long a wait rests before the next poll. Times are milliseconds; points in time count from
 * any moment.
 */
export interface PollContext {
  now: number;
  waitingSince: number;
  began?: number | undefined;
  /** True if the job was seen in a queue. It may then show progress later. */
  sawQueue: boolean;
  observations: readonly Observation[];
  prior?: Prior | undefined;
  random: () => number;
}

export interface Prior {
  /** The time from the begin of that job to its end, in milliseconds. */
  duration: number;
  /** The number of pages of that job. With this number, a count of pages is progress. */
  pages?: number | undefined;
  /** The uncertainty of the next duration: the standard deviation of its logarithm. Default: 0.18. */
  spread?: number | undefined;
}

const anyJob = { duration: 300_000, spread: 0.55 };

/** Every number of the rules above. Times are milliseconds. */
const pace = {
  /** The longest first rest if progress is shown or expected: a time, or a share of the last duration. */
  firstRest: 1_000,
  firstShareOfPrior: 1 / 8,
  /** The longest later rest, as a share of the time waited: with progress, and if nothing moves or progress went back. */
  shareOfWait: { moving: 1.5, still: 0.3 },
  /** The cost of one poll, as delay. It is lower if a speed is known, since a poll also makes the speed more exact. */
  pollCost: { withSpeed: 200, without: 850 },
  /** The uncertainty of a last duration that comes without one. */
  spreadOfPrior: 0.18,
  /** Polls become dense this many uncertainties before the expected end. */
  early: 1.5,
  /** A forecast counts as wrong this many uncertainties after the end that it expected. */
  late: 2,
  /** The factor of a rest towards an end that is far away: the rest is (factor · time left) ** ⅔. */
  boldness: 85,
  /** The uncertainty after a wrong forecast, as a share of the time since the job began. */
  wrongShareOfElapsed: 0.15,
  /** After the expected end, a rest is at least this share of the time since then. */
  overdueShare: 1 / 30,
  /** How much a rest is varied, up and down. */
  variation: 0.1,
};

/** Returns how long to rest until the next poll, in milliseconds. */
export function nextRest(context: PollContext): number {
  const varied = plannedRest(context) * (1 + pace.variation * (2 * context.random() - 1));
  return Math.min(delays.poll.longest, Math.max(delays.poll.shortest, varied));
}

function plannedRest({ now, waitingSince, began, sawQueue, observations, prior }: PollContext): number {
  const bySpeed = forecast(observations, began);
  const { duration, spread = pace.spreadOfPrior } = prior ?? anyJob;
  const progress = observations.at(-1)?.progress;
  const here = observations.find((one) => one.progress === progress);
  const from = here?.at ?? began ?? waitingSince;
  const expected = bySpeed ?? { from, remaining: duration * (1 - (progress ?? 0)), spread };
  const cost = progress ? pace.pollCost.withSpeed : pace.pollCost.without;
  const time = restFor(expected, now, now - (began ?? waitingSince), cost);
  const sawBegin = began !== undefined && waitingSince - began < pace.firstRest;
  const isBlind = progress === undefined && !sawQueue && sawBegin;
  const first = Math.max(pace.firstRest, sawBegin ? (prior?.duration ?? 0) * pace.firstShareOfPrior : 0);
  const hasFallen = observations.some((one, index) => one.progress < (observations[index - 1]?.progress ?? 0));
  const mayMove = (bySpeed !== undefined && !hasFallen) || progress === 0;
  const longest = Math.max(first, (now - waitingSince) * pace.shareOfWait[mayMove ? "moving" : "still"]);
  return isBlind ? time : Math.min(time, longest);
}

function restFor({ from, remaining, spread }: Forecast, now: number, elapsed: number, cost: number): number {
  const left = from + remaining - now;
  const uncertainty = spread * remaining;
  const leap = Math.min((pace.boldness * Math.max(0, left)) ** (2 / 3), left - pace.early * uncertainty);
  const wrong = left < -pace.late * uncertainty ? pace.wrongShareOfElapsed * elapsed : 0;
  const dense = Math.sqrt(2 * cost * Math.max(uncertainty + Math.max(left, (-left * spread) / 2), wrong));
  return Math.max(leap, dense, -left * pace.overdueShare);
}
