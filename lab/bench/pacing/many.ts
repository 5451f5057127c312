import { setImmediate as settled } from "node:timers/promises";
import { Limiter } from "../../../provider/platform/limiter";
import { waitUntilDone } from "../../../provider/polling/waiter";
import type { Clock } from "../../../provider/support/time/clock";
import { Deadline } from "../../../provider/support/time/deadline";
import { type BenchTarget, table } from "../part";
import { makeJob, mixed, parameters, randomFrom, type SituationName, situationNames } from "./generator";

/** The number of exports that one run started, and the results of its waits. Times are seconds. */
export interface Crowd {
  exports: number;
  /** The requests a second of the whole process, while any job ran. */
  requestsPerSecond: number;
  requests: number;
  delay: number;
  late: number;
  /** The delay of the job that ended last. The whole run ends later by this time. */
  last: number;
  /** The longest time that one poll waited for its turn. */
  longestTurn: number;
}

/** The request limit of the process. */
export const perSecond = 5;
const counts = [1, 20, 200] as const;

/** A clock for many sleepers. When all of them sleep, it jumps to the earliest end of a sleep. */
class CrowdClock implements Clock {
  readonly machine = "simulated";
  #now = 0;
  #sleepers: { at: number; wake: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  sleep(ms: number): Promise<void> {
    return new Promise((wake) => this.#sleepers.push({ at: this.#now + Math.max(0, ms), wake }));
  }

  async run(): Promise<void> {
    for (await settled(); this.#sleepers.length > 0; await settled()) {
      this.#now = Math.min(...this.#sleepers.map(({ at }) => at));
      const due = this.#sleepers.filter(({ at }) => at <= this.#now);
      this.#sleepers = this.#sleepers.filter(({ at }) => at > this.#now);
      for (const { wake } of due) {
        wake();
      }
    }
  }
}

/** Starts all exports at once in one process, and waits for them under the process's one limit of requests. */
export async function runCrowd(situation: SituationName, exports: number): Promise<Crowd> {
  const clock = new CrowdClock();
  const limiter = new Limiter(perSecond, clock);
  const signal = new AbortController().signal;
  const ended: { end: number; delay: number }[] = [];
  let requests = 0;
  let longestTurn = 0;

  async function turn(): Promise<void> {
    await limiter.turn(undefined, signal);
    requests++;
  }

  async function one(number: number): Promise<void> {
    const job = makeJob(situation, mixed[number % mixed.length] ?? "linear", number);
    await turn();
    const since = clock.now();
    let seenAt = 0;
    await waitUntilDone({
      poll: async () => {
        const asked = clock.now();
        await turn();
        longestTurn = Math.max(longestTurn, clock.now() - asked);
        seenAt = clock.now() - since;
        await clock.sleep(parameters.latency);
        return seenAt >= job.duration
          ? { done: true, value: true }
          : { done: false, queued: job.isQueuedAt(seenAt), progress: job.progressAt(seenAt) };
      },
      since,
      deadline: new Deadline(Number.POSITIVE_INFINITY, clock),
      maxFailedPolls: () => 0,
      signal,
      clock,
      random: randomFrom(~parameters.seed ^ number),
      onStatus: () => {},
    });
    ended.push({ end: since + job.duration, delay: (seenAt - job.duration) / 1_000 });
  }

  const all = Promise.all(Array.from({ length: exports }, (_, number) => one(number)));
  await clock.run();
  await all;
  const delays = ended.map(({ delay }) => delay).sort((a, b) => a - b);
  const lastEnd = Math.max(...ended.map(({ end }) => end));
  return {
    exports,
    requestsPerSecond: (requests * 1_000) / lastEnd,
    requests: requests / exports - 1,
    delay: delays.reduce((sum, delay) => sum + delay, 0) / exports,
    late: delays[Math.floor(0.95 * delays.length)] ?? Number.NaN,
    last: ended.find(({ end }) => end === lastEnd)?.delay ?? Number.NaN,
    longestTurn: longestTurn / 1_000,
  };
}

export async function runCrowds(): Promise<[SituationName, Crowd][]> {
  const rows: [SituationName, Crowd][] = [];
  for (const situation of situationNames) {
    for (const exports of counts) {
      rows.push([situation, await runCrowd(situation, exports)]);
    }
  }
  return rows;
}

export function describeCrowds(rows: readonly [SituationName, Crowd][]): string {
  return table([
    [
      "jobs",
      "exports at once",
      "polls of one",
      "requests a second",
      "mean delay, s",
      "95th percentile, s",
      "the last one, s",
      "longest wait for a turn, s",
    ],
    ...rows.map(([situation, crowd]) => [
      situation,
      String(crowd.exports),
      crowd.requests.toFixed(1),
      crowd.requestsPerSecond.toFixed(1),
      crowd.delay.toFixed(2),
      crowd.late.toFixed(1),
      crowd.last.toFixed(1),
      crowd.longestTurn.toFixed(1),
    ]),
  ]);
}

/** The limits: how late the last of many jobs is seen, and how long any poll waits for its turn. Seconds. */
export function crowdTargets(rows: readonly [SituationName, Crowd][]): BenchTarget[] {
  return rows.flatMap(([situation, { exports, last, longestTurn }]) => [
    { name: `pacing.many.${situation}.${exports}.last`, value: last, limit: 2.5 },
    {
      name: `pacing.many.${situation}.${exports}.longestTurn`,
      value: longestTurn,
      limit: Math.max(1, exports / perSecond),
    },
  ]);
}
