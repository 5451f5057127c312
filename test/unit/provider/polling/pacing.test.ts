import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Observation } from "../../../../provider/polling/forecast";
import { nextRest, type PollContext } from "../../../../provider/polling/pacing";
import { delays } from "../../../../provider/support/time/delays";

const { shortest: shortestRest, longest: longestRest } = delays.poll;
/** The middle of the random range. */
const even = () => 0.5;
const minute = 60_000;

/** The rest of a wait that has seen the job since its begin, at time 0. */
const planIn = (context: Partial<PollContext>) =>
  nextRest({ now: 0, waitingSince: 0, began: 0, sawQueue: false, observations: [], random: even, ...context });
const restIn = (context: Partial<PollContext>) => planIn(context);

/** The times of the polls, and the rests after them, for a job that shows this progress and never ends. */
function follow(progressAt: (elapsed: number) => number | undefined, until: number, given: Partial<PollContext> = {}) {
  const observations: Observation[] = [];
  const polls: { elapsed: number; rest: number }[] = [];
  for (let elapsed = 0; elapsed < until; ) {
    const progress = progressAt(elapsed);
    if (progress !== undefined) {
      observations.push({ at: elapsed, progress });
    }
    const rest = restIn({ ...given, now: elapsed, observations });
    polls.push({ elapsed, rest });
    elapsed += rest;
  }
  return polls;
}

const isSorted = (numbers: number[]) => numbers.every((number, index) => number >= (numbers[index - 1] ?? number));

describe("nextRest", () => {
  it("is from half a second to two minutes, whatever was seen", () => {
    expect([shortestRest, longestRest]).toEqual([500, 2 * minute]);
    const observation = fc.record({ at: fc.nat(), progress: fc.double({ min: 0, max: 1, noNaN: true }) });
    const prior = fc.record({ duration: fc.integer({ min: 1, max: 1e9 }) });
    fc.assert(
      fc.property(
        fc.array(observation),
        fc.nat(),
        fc.option(fc.nat(), { nil: undefined }),
        fc.boolean(),
        fc.option(prior, { nil: undefined }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (observations, now, began, sawQueue, prior, drawn) => {
          observations.sort((a, b) => a.at - b.at);
          const waitingSince = observations[0]?.at ?? now;
          const rest = restIn({ now, waitingSince, began, sawQueue, observations, prior, random: () => drawn });
          expect(rest >= shortestRest && rest <= longestRest).toBe(true);
        },
      ),
      { numRuns: 500, seed: 8 },
    );
  });

  it("is varied by a tenth at most, so that waits which began together part", () => {
    const now = 10 * minute;
    const [low, middle, high] = [0, 0.5, 0.999999].map((drawn) => restIn({ now, random: () => drawn }));
    expect((low ?? 0) / (middle ?? 1)).toBeCloseTo(0.9);
    expect((high ?? 0) / (middle ?? 1)).toBeCloseTo(1.1);
  });
});

describe("where there is progress", () => {
  const steady = (duration: number) => (elapsed: number) => Math.min(1, elapsed / duration);
  const inPerCents = (duration: number) => (elapsed: number) => Math.floor(100 * steady(duration)(elapsed)) / 100;

  it("polls grow dense towards the end alone, and are few", () => {
    for (const duration of [30_000, 4 * minute, 30 * minute]) {
      const polls = follow(inPerCents(duration), duration);
      expect(polls.length).toBeLessThanOrEqual(25);
      // In the second half, no poll comes long after the end.
      const later = polls.filter(({ elapsed }) => elapsed > duration / 2);
      expect(later.every(({ elapsed, rest }) => elapsed + rest <= duration + 2 * shortestRest)).toBe(true);
      expect(later.at(-1)?.rest).toBeLessThan(duration / 40);
    }
  });

  it("a job that was seen in its queue is polled soon, also where it shows no progress yet", () => {
    expect(restIn({ sawQueue: true })).toBe(1_000);
    expect(restIn({ sawQueue: true, now: 10_000 })).toBe(3_000);
    expect(restIn({ observations: [{ at: 0, progress: 0 }] })).toBe(1_000);
  });

  it("a job that stalls at 99 % is polled ever more rarely", () => {
    const polls = follow((elapsed) => Math.min(0.99, elapsed / 100_000), 35 * minute);
    const stalled = polls.filter(({ elapsed }) => elapsed > 2 * minute);
    expect(isSorted(stalled.map(({ rest }) => rest))).toBe(true);
    expect(stalled.at(-1)?.rest).toBeGreaterThan(minute);
    // Fixed rests of 10 s would need 198.
    expect(stalled.length).toBeLessThan(120);
  });

  it("a job whose progress jumps back once is not polled hotly", () => {
    const jumps = (elapsed: number) => steady(4 * minute)(elapsed) - (elapsed > 2 * minute ? 0.4 : 0);
    const after = follow(jumps, 5 * minute).filter(({ elapsed }) => elapsed > 2 * minute && elapsed < 4 * minute);
    expect(after.length).toBeGreaterThan(0);
    expect(after.every(({ rest }) => rest > 10_000)).toBe(true);
  });
});

describe("where there is none", () => {
  it("the last duration tells where they are densest", () => {
    const prior = { duration: 20 * minute };
    const polls = follow(() => undefined, 40 * minute, { prior });
    const between = (from: number, to: number) =>
      polls.filter(({ elapsed }) => elapsed > from * minute && elapsed < to * minute).length;
    expect(between(18, 22)).toBeGreaterThan(2 * between(2, 6));
    expect(between(18, 22)).toBeGreaterThan(between(34, 38));
  });

  it("a last duration that is known only roughly makes the first polls come earlier", () => {
    const [exact, rough] = [0.1, 1.5].map((spread) => restIn({ prior: { duration: minute, spread } }));
    expect(exact).toBeGreaterThan(1.5 * (rough ?? Number.POSITIVE_INFINITY));
  });
});

describe("with progress and a last duration", () => {
  const prior = { duration: 4 * minute };

  it("the first polls are spared, as far as an eighth of that duration", () => {
    const first = restIn({ prior, observations: [{ at: 0, progress: 0 }] });
    expect(first).toBe(30_000);
  });
});

describe("a wait that goes on in the middle of a job", () => {
  const at = 79_000;
  const resumed = { now: at, waitingSince: at };

  it("looks again within a second, whatever it knows", () => {
    for (const began of [undefined, 0]) {
      for (const progress of [0, 0.5, 0.79, 0.95]) {
        expect(restIn({ ...resumed, began, observations: [{ at, progress }] })).toBeLessThanOrEqual(1_000);
      }
      expect(restIn({ ...resumed, began, prior: { duration: 10 * minute } })).toBeLessThanOrEqual(1_000);
    }
  });
});
