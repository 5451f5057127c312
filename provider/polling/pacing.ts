/**
 * Decides when to poll next. Each poll costs a request, and the user loses the time between the end of a job and the
 * next poll. Textbooks call this the inspection problem: if one poll costs as much as a delay of `price`, the best
 * pause is √(2 · price / hazard). The hazard is the probability, per unit of time, that the job ends now. The rules
 * are:
 *
 * 1. If nothing says when the job ends, it may take seconds or half an hour. The pause is a twelfth of the job's age,
 *    from 3 to 9 seconds. So a wait usually sees the end earlier than a simple loop with pauses of ten seconds. If the
 *    platform shows progress, the shortest pause is 1 second, because one more poll may show the speed.
 * 2. The expected end follows from the speed of the progress (`forecastJobEnd`). Without progress, it follows from the
 *    duration of the last job. A poll long before the expected end is of little use, so the next poll usually comes
 *    shortly before that end. But a job may become faster. So if much time is left, the pause is only (`boldness` ·
 *    time left)^⅔.
 * 3. Around the expected end, the hazard is about 1 / uncertainty. If the job is late by more than `late` ·
 *    uncertainty, the expectation was wrong. With progress, the new uncertainty is a fixed part of the job's age.
 *    Without progress, rule 1 applies.
 * 4. The first expectations are inexact, so a pause is at most twice as long as the wait so far. The first pause is at
 *    most 3 seconds, or an eighth of the last job's duration if that is longer. With progress, it is at most 1 second.
 *    If the progress has not changed since the previous poll, it may never change again, so the pause is at most 9
 *    seconds.
 * 5. Each pause varies by up to a tenth, so that waits that began together do not poll together.
 *
 * lab/bench/README.md compares the figures of these rules with the theoretical bound.
 */
import { delays } from "../support/time/delays";
import { forecastJobEnd, type JobEndForecast, type ProgressObservation } from "./forecast";

/** Times are milliseconds; points in time count from any fixed moment. */
export interface PollTimingFacts {
  now: number;
  waitingSince: number;
  began?: number | undefined;
  /** One observation for each poll. A job that shows no progress has the progress 0. */
  observations: readonly ProgressObservation[];
  prior?: PreviousJob | undefined;
  random: () => number;
}

/** The facts about the last job of the same site. */
export interface PreviousJob {
  /** In milliseconds. */
  duration: number;
  /** If the platform shows no progress, it is estimated: the new job's page count is divided by this number. */
  pages?: number | undefined;
}

/** The numbers of the rules above. Times are milliseconds. */
const pace = {
  /** Rule 1: the pause is this part of the job's age. */
  blindShare: 1 / 12,
  blind: { shortest: 3_000, longest: 9_000 },
  /** For the user, one poll costs as much as a delay of this length. */
  price: 100,
  /** Rule 2: a job usually takes up to 28 % more or less than the last job (standard deviation of the logarithm). */
  spreadOfPrior: 0.28,
  boldness: 100,
  /** Rule 2: the pause ends at least `early` · uncertainty before the expected end. */
  early: 1.15,
  /** Rule 3: if the job is late by more than `late` · uncertainty, the expectation was wrong. */
  late: 2,
  wrongShare: 0.45,
  /** If the job shows progress, this is the longest first pause (rule 4), and the shortest pause of rule 1. */
  firstWithProgress: 1_000,
  firstShareOfPrior: 1 / 8,
  shareOfWait: 2,
  /** Rule 5: a pause varies by up to this share of its length. */
  variation: 0.1,
};

/** In milliseconds. */
export function nextPause(context: PollTimingFacts): number {
  const planned = Math.min(plannedPause(context), longestPause(context));
  return within(delays.poll, planned * (1 + pace.variation * (2 * context.random() - 1)));
}

function plannedPause({ now, waitingSince, began, observations, prior }: PollTimingFacts): number {
  const age = now - (began ?? waitingSince);
  const shortest = observations.at(-1)?.progress ? pace.firstWithProgress : pace.blind.shortest;
  const blind = within({ ...pace.blind, shortest }, age * pace.blindShare);
  const bySpeed = forecastJobEnd(observations, began);
  const expected = bySpeed ?? byLastDuration(began, prior);
  if (expected === undefined) {
    return blind;
  }
  const pause = (uncertainty: number) => Math.sqrt(2 * pace.price * uncertainty);
  const uncertainty = expected.spread * expected.remaining;
  const left = expected.from + expected.remaining - now;
  if (left < -pace.late * uncertainty) {
    return bySpeed ? pause(pace.wrongShare * age) : blind;
  }
  const leap = Math.min((pace.boldness * Math.max(0, left)) ** (2 / 3), left - pace.early * uncertainty);
  return Math.max(leap, pause(uncertainty + Math.max(left, (-left * expected.spread) / 2)));
}

function byLastDuration(began: number | undefined, prior: PreviousJob | undefined): JobEndForecast | undefined {
  return began === undefined || prior === undefined
    ? undefined
    : { from: began, remaining: prior.duration, spread: pace.spreadOfPrior };
}

function longestPause({ now, waitingSince, began, observations, prior }: PollTimingFacts): number {
  const [here, before] = [observations.at(-1)?.progress, observations.at(-2)?.progress];
  const byLast = here ? undefined : byLastDuration(began, prior);
  const first = here
    ? pace.firstWithProgress
    : Math.max(pace.blind.shortest, (byLast?.remaining ?? 0) * pace.firstShareOfPrior);
  const longest = Math.max(first, (now - waitingSince) * pace.shareOfWait);
  return before !== here || byLast ? longest : Math.min(pace.blind.longest, longest);
}

function within({ shortest, longest }: { shortest: number; longest: number }, pause: number): number {
  return Math.min(longest, Math.max(shortest, pause));
}
