import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type MixtureComponent, optimalRest, steepnessOf } from "../../../../provider/polling/completionModel";

const hour = 3_600_000;
const component = (given: Partial<MixtureComponent> = {}): MixtureComponent => ({
  weight: 1,
  begin: 0,
  median: 240_000,
  steepness: 2.5,
  ...given,
});

/** The hazard of a log-logistic time, from the textbook. */
function hazard({ begin, median, steepness }: MixtureComponent, time: number): number {
  const age = time - begin;
  return age <= 0 ? 0 : (steepness / age) * ((age / median) ** steepness / (1 + (age / median) ** steepness));
}

describe("optimalRest", () => {
  it("ends when the polls that are due, √(hazard / 2 pollCost), add up to one", () => {
    const some = fc.record({
      begin: fc.integer({ min: 0, max: 60_000 }),
      median: fc.integer({ min: 5_000, max: 600_000 }),
      steepness: fc.double({ min: 1, max: 12, noNaN: true }),
    });
    fc.assert(
      fc.property(
        some,
        fc.integer({ min: 0, max: 900_000 }),
        fc.integer({ min: 50, max: 2_000 }),
        (given, age, pollCost) => {
          const only = component(given);
          const now = only.begin + age;
          const rest = optimalRest([only], now, pollCost, hour);
          fc.pre(rest > 5_000 && rest < hour);
          const parts = 4_000;
          let due = 0;
          for (let part = 0; part < parts; part++) {
            const time = now + ((part + 0.5) / parts) * rest;
            due += Math.sqrt(hazard(only, time) / (2 * pollCost)) * (rest / parts);
          }
          expect(due).toBeGreaterThan(0.93);
          expect(due).toBeLessThan(1.07);
        },
      ),
      { numRuns: 200, seed: 4 },
    );
  });

  it("skips the time in which no end is to be expected", () => {
    const sure = component({ median: 100_000, steepness: steepnessOf(0.02) });
    const rest = optimalRest([sure], 0, 200, hour);
    expect(rest).toBeGreaterThan(85_000);
    expect(rest).toBeLessThan(100_000);
  });

  it("is shorter, the less delay a poll costs", () => {
    const rests = [50, 200, 800, 3_200].map((pollCost) => optimalRest([component()], 240_000, pollCost, hour));
    expect(rests).toEqual([...rests].sort((a, b) => a - b));
    // The distance of polls goes with the root of what they cost.
    expect((rests[3] ?? 0) / (rests[1] ?? 1)).toBeCloseTo(4, 0);
  });

  it("grows again where the expected end has long passed", () => {
    const late = [11_000, 60_000, 600_000].map((now) =>
      optimalRest([component({ median: 10_000, steepness: 20 })], now, 200, hour),
    );
    expect(late).toEqual([...late].sort((a, b) => a - b));
  });

  it("is never longer than the longest, however unlikely or late the end is", () => {
    expect(optimalRest([component({ median: 1e12 })], 0, 200, 5_000)).toBe(5_000);
    expect(optimalRest([component({ median: 1, steepness: 90 })], 1e15, 200, 5_000)).toBe(5_000);
  });
});
