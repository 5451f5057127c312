import type { JobAnswer } from "../../../provider/polling/pollHistory";
import { pollJob } from "../../../provider/polling/pollJob";
import type { Clock } from "../../../provider/support/time/clock";
import { Deadline } from "../../../provider/support/time/deadline";
import { mean } from "../measurement";
import {
  type GeneratedJob,
  makeJob,
  parameters,
  type RandomNumber,
  randomFrom,
  type Shape,
  type SituationName,
} from "./generator";

export interface WaitOutcome {
  requests: number;
  /** In milliseconds: from the job's end to the sending of the poll that sees this end. */
  delay: number;
}

export type Waiter = (job: GeneratedJob, random: RandomNumber) => Promise<WaitOutcome> | WaitOutcome;

/** The results for one cell of a table. Times are in seconds. */
export interface CellResult {
  requests: number;
  delay: number;
  /** The 95th percentile of the delay, in seconds. */
  late: number;
}

export async function runCell(
  wait: Waiter,
  situation: SituationName,
  shown: readonly Shape[],
  jobs: number,
): Promise<CellResult> {
  return measure(wait, (number) => makeJob(situation, shown, number), jobs);
}

export async function measure(wait: Waiter, job: (number: number) => GeneratedJob, jobs: number): Promise<CellResult> {
  const outcomes: WaitOutcome[] = [];
  for (let number = 0; number < jobs; number++) {
    outcomes.push(await wait(job(number), randomFrom(~parameters.seed ^ number)));
  }
  const delays = outcomes.map(({ delay }) => delay / 1_000).sort((a, b) => a - b);
  return {
    requests: mean(outcomes.map(({ requests }) => requests)),
    delay: mean(delays),
    late: delays[Math.floor(0.95 * delays.length)] ?? Number.NaN,
  };
}

/** The default pause is ten seconds, as in most CI templates. */
export function fixedWaiter({ duration }: GeneratedJob, rest = 10_000): WaitOutcome {
  let count = 0;
  let elapsed = rest;
  for (; elapsed < duration; elapsed += parameters.latency + rest) {
    count++;
  }
  return { requests: count + 1, delay: elapsed - duration };
}

export interface WaitBeginning {
  knowsLast?: boolean;
  /** The share of the job's time that has passed when the wait begins. Default: 0. */
  at?: number;
  /** False if the wait does not know when the job began. Default: true. */
  knowsBegin?: boolean;
  latency?: number;
}

/** Runs the provider's real wait code, by a virtual clock. Only the pauses and the requests advance the clock. */
export function ourWaiter({
  knowsLast = false,
  at = 0,
  knowsBegin = true,
  latency = parameters.latency,
}: WaitBeginning): Waiter {
  return async (job, random) => {
    let now = at * job.duration;
    const clock: Clock = {
      now: () => now,
      monotonic: () => now,
      sleep: async (ms) => {
        now += ms;
      },
    };
    let requests = 0;
    let lookedAt = 0;
    await pollJob<undefined, JobAnswer>(
      {
        name: "the job",
        initial: undefined,
        isConfirmed: true,
        age: knowsBegin ? now : undefined,
        prior: knowsLast ? { duration: job.last } : undefined,
        async ask() {
          requests++;
          lookedAt = clock.now();
          now += latency;
          return { status: "running", progress: job.progressAt(lookedAt) };
        },
        judge: (state) => ({ is: lookedAt >= job.duration ? "done" : "goingOn", state }),
        describe: () => [""],
      },
      { name: "", time: "", deadline: Deadline.in(Number.POSITIVE_INFINITY, clock) },
      {
        clock,
        signal: new AbortController().signal,
        settings: () => ({ maxRetries: 0, waitsOutLimits: false }),
        status: () => {},
      },
      random,
    );
    return { requests, delay: lookedAt - job.duration };
  };
}
