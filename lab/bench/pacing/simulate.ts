import { waitUntilDone } from "../../../provider/polling/waiter";
import type { Clock } from "../../../provider/support/time/clock";
import { Deadline } from "../../../provider/support/time/deadline";
import {
  type GeneratedJob,
  makeJob,
  parameters,
  type RandomNumber,
  randomFrom,
  type Shape,
  type SituationName,
} from "./generator";
import type { Look, Policy } from "./policies";

/** The result of one wait. */
export interface WaitOutcome {
  requests: number;
  /**
   * The time from the end of the job to the poll that saw it, in milliseconds. The time of the answer is left out,
   * since it is the same for every policy.
   */
  delay: number;
}

/** Waits for one job. */
export type Waiter = (
  job: GeneratedJob,
  situation: SituationName,
  random: RandomNumber,
) => Promise<WaitOutcome> | WaitOutcome;

/** The results of all waits of one cell; times are seconds. */
export interface Cell {
  requests: number;
  delay: number;
  /** The 95th percentile of the delay. */
  late: number;
}

export function runCell(wait: Waiter, situation: SituationName, shapes: readonly Shape[], jobs: number): Promise<Cell> {
  const make = (number: number) => makeJob(situation, shapes[number % shapes.length] ?? "linear", number);
  return runJobs(wait, situation, make, jobs);
}

export async function runJobs(
  wait: Waiter,
  situation: SituationName,
  make: (number: number) => GeneratedJob,
  jobs: number,
): Promise<Cell> {
  const outcomes: WaitOutcome[] = [];
  for (let number = 0; number < jobs; number++) {
    outcomes.push(await wait(make(number), situation, randomFrom(~parameters.seed ^ number)));
  }
  const delays = outcomes.map(({ delay }) => delay / 1_000).sort((a, b) => a - b);
  return {
    requests: mean(outcomes.map(({ requests }) => requests)),
    delay: mean(delays),
    late: delays[Math.floor(0.95 * delays.length)] ?? Number.NaN,
  };
}

/** Runs another policy in a loop, as its source does. */
export function waitBy(policy: Policy): Waiter {
  return (job, situation, random) => {
    const seen: { elapsed: number; progress: number }[] = [];
    const look: Look = { elapsed: 0, count: 0, seen, situation, last: job.last, random };
    if (!policy.atOnce) {
      look.elapsed = policy.rest(look);
    }
    while (look.elapsed < job.duration) {
      const progress = job.progressAt(look.elapsed);
      if (progress !== undefined) {
        seen.push({ elapsed: look.elapsed, progress });
      }
      look.count++;
      look.elapsed += parameters.latency;
      look.elapsed += policy.rest(look);
    }
    return { requests: look.count + 1, delay: look.elapsed - job.duration };
  };
}

/** The situation in which our waiter begins. */
export interface Beginning {
  knowsLast: boolean;
  /** The share of the job at which the wait begins. Default 0. */
  at?: number;
  /** False if the wait does not know when the job began. Default true. */
  knowsBegin?: boolean;
}

/** Runs the provider's own waiter, unchanged, on a clock that advances by its rests. */
export function ourWaiter({ knowsLast, at = 0, knowsBegin = true }: Beginning): Waiter {
  return async (job, _, random) => {
    let now = at * job.duration;
    let requests = 0;
    let lookedAt = 0;
    const clock: Clock = {
      machine: "simulated",
      now: () => now,
      sleep: async (ms) => {
        now += ms;
      },
    };
    await waitUntilDone({
      poll: async () => {
        requests++;
        lookedAt = now;
        now += parameters.latency;
        return lookedAt >= job.duration
          ? { done: true, value: true }
          : { done: false, queued: job.isQueuedAt(lookedAt), progress: job.progressAt(lookedAt) };
      },
      since: knowsBegin ? 0 : undefined,
      deadline: new Deadline(Number.POSITIVE_INFINITY, clock),
      prior: knowsLast ? { duration: job.last } : undefined,
      maxFailedPolls: () => 0,
      signal: never,
      clock,
      random,
      onStatus: () => {},
    });
    return { requests, delay: lookedAt - job.duration };
  };
}

const never = new AbortController().signal;

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
