import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ProgressObservation } from "../../../../provider/polling/forecast";
import { nextPause, type PollTimingFacts } from "../../../../provider/polling/pacing";
import { delays } from "../../../../provider/support/time/delays";

const { shortest: shortestRest, longest: longestPause } = delays.poll;
const middleOfRange = () => 0.5;
const minute = 60_000;

/** Returns the pause after a poll. The wait and the job both began at time 0. */
const restIn = (context: Partial<PollTimingFacts>) =>
  nextPause({ now: 0, waitingSince: 0, began: 0, observations: [], random: middleOfRange, ...context });

/** Simulates a wait for an endless job with this progress. Returns the time of each poll, and the pause after it. */
function follow(progressAt: (elapsed: number) => number, until: number, given: Partial<PollTimingFacts> = {}) {
  const observations: ProgressObservation[] = [];
  const polls: { elapsed: number; rest: number }[] = [];
  for (let elapsed = 0; elapsed < until; ) {
    observations.push({ at: elapsed, progress: progressAt(elapsed) });
    const rest = restIn({ ...given, now: elapsed, observations });
    polls.push({ elapsed, rest });
    elapsed += rest;
  }
  return polls;
}

const isSorted = (numbers: number[]) => numbers.every((number, index) => number >= (numbers[index - 1] ?? number));
const nothing = () => 0;

describe("nextRest", () => {
  it("is from a quarter of a second to two minutes, whatever was seen", () => {
    expect([shortestRest, longestPause]).toEqual([250, 2 * minute]);
    const observation = fc.record({ at: fc.nat(), progress: fc.double({ min: 0, max: 1, noNaN: true }) });
    const prior = fc.record({ duration: fc.integer({ min: 1, max: 1e9 }) });
    fc.assert(
      fc.property(
        fc.array(observation),
        fc.nat(),
        fc.option(fc.nat(), { nil: undefined }),
        fc.option(prior, { nil: undefined }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (observations, now, began, prior, drawn) => {
          observations.sort((a, b) => a.at - b.at);
          const waitingSince = observations[0]?.at ?? now;
          const rest = restIn({ now, waitingSince, began, observations, prior, random: () => drawn });
          expect(rest >= shortestRest && rest <= longestPause).toBe(true);
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
      expect(polls.length).toBeLessThanOrEqual(30);
      // In the second half of the job, every pause ends at most one second after the end of the job.
      const later = polls.filter(({ elapsed }) => elapsed > duration / 2);
      expect(later.every(({ elapsed, rest }) => elapsed + rest <= duration + 1_000)).toBe(true);
      expect(later.at(-1)?.rest).toBeLessThan(duration / 40);
    }
  });

  it("a job that stalls at 99 % is polled ever more rarely, up to every ten seconds", () => {
    const polls = follow((elapsed) => Math.min(0.99, elapsed / 100_000), 35 * minute);
    const stalled = polls.filter(({ elapsed }) => elapsed > 2 * minute);
    expect(isSorted(stalled.map(({ rest }) => rest))).toBe(true);
    expect(stalled.at(-1)?.rest).toBe(9_000);
  });

  it.each([0.05, 0.5])("a job that stands still at %d is polled at least every ten seconds", (progress) => {
    const stuck = (elapsed: number) => Math.min(progress, elapsed / (20 * minute));
    const polls = follow(stuck, 30 * minute).filter(({ elapsed }) => elapsed > progress * 20 * minute);
    // The first poll is not checked, because its pause may begin while the progress still grows.
    expect(polls.slice(1).every(({ rest }) => rest <= 9_000)).toBe(true);
  });

  it("a job whose progress jumps back once is not polled hotly", () => {
    const jumps = (elapsed: number) => steady(4 * minute)(elapsed) - (elapsed > 2 * minute ? 0.4 : 0);
    const after = follow(jumps, 5 * minute).filter(({ elapsed }) => elapsed > 2 * minute && elapsed < 4 * minute);

    expect(after.length).toBeLessThan(8);
  });
});

describe("where there is none", () => {
  it("the rest is a twelfth of the job's age, from 3 to 9 seconds", () => {
    const restAt = (age: number) => restIn({ waitingSince: 0, now: age, observations: [{ at: age, progress: 0 }] });
    expect([0, 20_000, 36_000, 60_000, 96_000, 108_000, 30 * minute].map(restAt)).toEqual([
      3_000, 3_000, 3_000, 5_000, 8_000, 9_000, 9_000,
    ]);
  });

  it("the last duration says where they are densest", () => {
    const prior = { duration: 20 * minute };
    const polls = follow(nothing, 40 * minute, { prior });
    const between = (from: number, to: number) =>
      polls.filter(({ elapsed }) => elapsed > from * minute && elapsed < to * minute).length;
    expect(between(18, 22)).toBeGreaterThan(5 * between(2, 6));
    expect(polls.length).toBeLessThan(follow(nothing, 40 * minute).length);
  });

  it("a last duration that was exceeded by far says nothing any more", () => {
    const [known, unknown] = [{ duration: minute }, undefined].map((prior) => restIn({ now: 10 * minute, prior }));
    expect(known).toBe(unknown);
  });

  it("a last duration says nothing where it is unknown when the job began", () => {
    expect(restIn({ began: undefined, prior: { duration: 10 * minute } })).toBe(3_000);
  });
});

it("with progress and a last duration the first polls are spared, as far as an eighth of that duration", () => {
  const prior = { duration: 4 * minute };
  expect(restIn({ prior, observations: [{ at: 0, progress: 0 }] })).toBe(30_000);
});

describe("a wait that continues in the middle of a job", () => {
  const at = 79_000;

  it("looks again within a second where there is progress", () => {
    for (const began of [undefined, 0]) {
      for (const progress of [0.01, 0.5, 0.79, 0.95]) {
        expect(restIn({ now: at, waitingSince: at, began, observations: [{ at, progress }] })).toBeLessThanOrEqual(
          1_000,
        );
      }
    }
  });
});
