import { describe, expect, it } from "vitest";
import { forecast, lostProgress, type Observation } from "../../../../provider/polling/forecast";

/** What polls at these times see of a progress. */
const see = (times: readonly number[], progressAt: (elapsed: number) => number): Observation[] =>
  times.map((elapsed) => ({ elapsed, progress: progressAt(elapsed) }));
const inPerCents = (progress: number) => Math.floor(progress * 100 + 1e-9) / 100;

describe("forecast", () => {
  it.each<[string, Observation[]]>([
    ["nothing was seen", []],
    ["progress was seen once", [{ elapsed: 0, progress: 0.5 }]],
    ["progress stands still", see([0, 1, 2], () => 0.5)],
    ["progress only went back", see([0, 9], (elapsed) => 0.6 - elapsed / 45)],
  ])("is none where %s", (_, observations) => {
    expect(forecast(observations)).toBeUndefined();
  });

  it("goes on with the speed so far", () => {
    const expected = forecast(see([2_000, 4_000, 6_000], (elapsed) => elapsed / 19_500));
    expect(expected).toMatchObject({ from: 6_000 });
    expect(expected?.remaining).toBeCloseTo(13_500);
  });

  it("counts from the last poll before the first movement: time in a queue is no part of the speed", () => {
    const queue = 60_000;
    const expected = forecast(
      see([0, 20_000, 40_000, 60_000, 80_000], (elapsed) => Math.max(0, elapsed - queue) / 90_000),
    );
    expect(expected?.remaining).toBeCloseTo(70_000);
  });

  it("takes half a per cent more for done where progress comes in whole per cents", () => {
    const expected = forecast(see([0, 50_000], (elapsed) => elapsed / 100_000));
    expect(expected?.remaining).toBeCloseTo(49_500);
  });

  it("counts from when a progress was first seen, however often it was seen since", () => {
    const once = forecast(see([0, 1_000, 50_500], (elapsed) => elapsed / 100_000));
    const again = forecast([
      ...see([0, 1_000, 50_500], (elapsed) => elapsed / 100_000),
      { elapsed: 58_000, progress: 0.505 },
    ]);
    expect(again).toEqual(once);
  });

  it("forgets a speed of long ago as the end comes near", () => {
    // Slow at first, then ten times as fast.
    const progressAt = (elapsed: number) => (elapsed < 50_000 ? elapsed / 500_000 : 0.1 + (elapsed - 50_000) / 50_000);
    const expected = forecast(see([0, 20_100, 50_000, 60_000, 75_000, 90_500], progressAt));
    expect(expected?.remaining).toBeCloseTo(4_500);
  });

  it("counts what was lost in a step back as time that brought nothing", () => {
    const seen = see([0, 10_000, 40_000, 50_000], (elapsed) => elapsed / 100_000 - (elapsed > 40_000 ? 0.205 : 0));
    // It took all of 50 s to come to 0.295.
    expect(forecast(seen)?.remaining).toBeCloseTo((0.705 * 50_000) / 0.295);
  });

  it("is surer, the more is done, and never quite sure", () => {
    const spreads = [5_000, 20_000, 50_000, 80_000, 99_000].map(
      (elapsed) => forecast(see([0, 1_000, elapsed], (time) => time / 100_001))?.spread ?? 0,
    );
    expect(spreads).toEqual([...spreads].sort((a, b) => b - a));
    expect(Math.min(...spreads)).toBeGreaterThan(0.01);
    expect(Math.max(...spreads)).toBeLessThan(1);
  });

  it("is less sure at the end where progress comes in whole per cents", () => {
    const times = [0, 1_000, 60_000, 98_100];
    const exact = forecast(see(times, (elapsed) => elapsed / 100_000));
    const rounded = forecast(see(times, (elapsed) => inPerCents(elapsed / 100_000)));
    expect(rounded?.spread ?? 0).toBeGreaterThan(2 * (exact?.spread ?? 1));
  });
});

describe("lostProgress", () => {
  it("adds up all steps back", () => {
    const seen = [0, 0.3, 0.1, 0.6, 0.5, 0.9].map((progress, elapsed) => ({ elapsed, progress }));
    expect(lostProgress(seen)).toBeCloseTo(0.3);
    expect(lostProgress([])).toBe(0);
  });
});
