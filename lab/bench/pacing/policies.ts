import { parameters, type RandomNumber, type SituationName } from "./generator";

/** The facts that a policy may use. Times are milliseconds. */
export interface Look {
  /** The time since the start. */
  elapsed: number;
  /** The number of polls so far. */
  count: number;
  /** Every progress that the platform has shown, oldest first. */
  seen: readonly { elapsed: number; progress: number }[];
  situation: SituationName;
  /** The duration of the site's last job. */
  last: number;
  random: RandomNumber;
}

/** The policies of other tools. */
export interface Policy {
  name: string;
  /** The place where the policy is documented. */
  source: string;
  /** Polls once right after the start. */
  atOnce?: true;
  rest(look: Look): number;
}

const seconds = 1_000;

export const policies: readonly Policy[] = [
  { name: "fixed 10 s", source: "most CI templates", rest: () => 10 * seconds },
  { name: "fixed 2 s", source: "an eager loop", rest: () => 2 * seconds },
  {
    name: "AWS waiter",
    source: "smithy-typescript, util-waiter: 2 s to 120 s, each rest drawn from the least to the doubled one",
    atOnce: true,
    rest: ({ count, random }) => smithyRest(2 * seconds, 120 * seconds, count, random),
  },
  {
    name: "Google LRO",
    source: "gapic clients for Java, OperationTimedPollAlgorithm: 5 s, times 1.5, up to 45 s",
    rest: ({ count }) => Math.min(45 * seconds, 5 * seconds * 1.5 ** count),
  },
  { name: "Azure LRO", source: "azure-core for Python, LROBasePolling: 30 s", rest: () => 30 * seconds },
  {
    name: "last duration only",
    source: "the inspection rule on a log-normal time: a look when one second of delay is to be expected",
    rest: restByLastDuration,
  },
  {
    name: "naive ETA",
    source: "0.6 of the ETA by the pace of the second half; at most half, at least 1 % of the time passed, and 1 s",
    rest: ({ elapsed, seen }) => {
      const rest = restByEta(elapsed, seen);
      return Math.max(seconds, 0.01 * elapsed, rest === undefined ? 2 * seconds : Math.min(0.6 * rest, elapsed / 2));
    },
  },
];

function smithyRest(shortest: number, longest: number, attempt: number, random: RandomNumber): number {
  const attemptsUntilLongest = Math.log2(longest / shortest) + 1;
  const doubled = shortest * 2 ** (attempt - 1);
  return attempt > attemptsUntilLongest ? longest : shortest + random() * (Math.min(doubled, longest) - shortest);
}

function restByEta(elapsed: number, seen: Look["seen"]): number | undefined {
  const last = seen.at(-1);
  const slower = seen.filter(({ progress }) => progress < (last?.progress ?? 0));
  const from = slower.findLast((one) => one.elapsed <= elapsed / 2) ?? slower[0];
  return last && from && ((1 - last.progress) * (last.elapsed - from.elapsed)) / (last.progress - from.progress);
}

/** For an unknown site, the policy knows only the median of all sites. */
function restByLastDuration({ elapsed, situation, last }: Look): number {
  const { median, spread } = parameters.situations[situation];
  // An estimate from one other duration has the error of both.
  return situation === "A"
    ? restUntilDelay(elapsed, median, spread)
    : restUntilDelay(elapsed, last, spread * Math.SQRT2);
}

function restUntilDelay(elapsed: number, median: number, spread: number): number {
  const step = 250;
  const longest = 3 * median;
  const chanceAfter = (time: number) => (time <= 0 ? 1 : normalAbove(Math.log(time / median) / spread));
  const before = chanceAfter(elapsed);
  let delay = 0;
  let rest = 0;
  while (delay < seconds && rest < longest) {
    rest += step;
    delay += (1 - chanceAfter(elapsed + rest) / before) * step;
  }
  return rest;
}

/**
 * The probability that a normal number is above `z`, by the logistic approximation. Far out, its steepness is kept
 * constant.
 */
function normalAbove(z: number): number {
  return z > 5 ? 3e-7 * Math.exp(-z * (z - 5)) : 1 / (1 + Math.exp(1.5976 * z + 0.07056 * z ** 3));
}
