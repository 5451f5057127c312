import { describe, expect, it } from "vitest";
import { forecastJobEnd, type JobEndForecast, type ProgressObservation } from "../../../../provider/polling/forecast";

const see = (times: readonly number[], progressAt: (at: number) => number): ProgressObservation[] =>
  times.map((at) => ({ at, progress: progressAt(at) }));
const inPerCents = (progress: number) => Math.floor(progress * 100 + 1e-9) / 100;
const endOf = (expected: JobEndForecast | undefined) => expected && expected.from + expected.remaining;

describe("forecastJobEnd", () => {
  it("continues with the speed so far", () => {
    const expected = forecastJobEnd(
      see([2_000, 4_000, 6_000], (at) => inPerCents(at / 20_000)),
      undefined,
    );
    expect(expected).toMatchObject({ from: 6_000 });
    // The platform rounds its progress down, so the forecast adds half a per cent. This makes the end 100 ms earlier.
    expect(endOf(expected)).toBeCloseTo(19_900);
  });

  it("counts from the last poll before the first movement: time in a queue is no part of the speed", () => {
    const queue = 60_000;
    const expected = forecastJobEnd(
      see([0, 20_000, 40_000, 60_000, 61_000, 80_000], (at) => inPerCents(Math.max(0, at - queue) / 100_000)),
      0,
    );
    expect(endOf(expected)).toBeGreaterThan(155_000);
    expect(endOf(expected)).toBeLessThan(161_000);
  });

  it("supposes that a job in a queue began to move in the middle between two polls", () => {
    expect(
      endOf(
        forecastJobEnd(
          [
            { at: 0, progress: 0 },
            { at: 10_000, progress: 0.1 },
          ],
          undefined,
        ),
      ),
    ).toBeCloseTo(54_750);
  });

  it("forgets what came before a fall of the progress", () => {
    const after = see([60_000, 64_000, 68_000], (at) => inPerCents((at - 50_000) / 40_000));
    const before = see([0, 20_000, 40_000], (at) => at / 50_000);
    expect(forecastJobEnd([...before, ...after], 0)).toEqual(forecastJobEnd(after, undefined));
  });

  it("is surer, the more is done, and never quite sure", () => {
    const spreads = [5_000, 20_000, 50_000, 80_000, 95_000].map(
      (at) =>
        forecastJobEnd(
          see([0, 1_000, at], (time) => inPerCents(time / 100_001)),
          0,
        )?.spread ?? 0,
    );
    expect(spreads).toEqual([...spreads].sort((a, b) => b - a));
    expect(Math.min(...spreads)).toBeGreaterThan(0.01);
    expect(Math.max(...spreads)).toBeLessThan(1);
  });
});

describe("a wait that continues in the middle of a job", () => {
  it("has a forecast from its first poll on where the beginning is known", () => {
    const expected = forecastJobEnd([{ at: 79_000, progress: 0.79 }], 0);
    expect(endOf(expected)).toBeGreaterThan(99_000);
    expect(endOf(expected)).toBeLessThan(101_000);
  });

  it("is less sure of it where the platform may show round numbers only", () => {
    const spreadAt = (progress: number) => forecastJobEnd([{ at: 60_000, progress }], 0)?.spread ?? 0;
    expect(spreadAt(0.75)).toBeGreaterThan(spreadAt(0.6));
    expect(spreadAt(0.6)).toBeGreaterThan(spreadAt(0.61));
  });

  it("goes by what it has seen itself as soon as that is surer", () => {
    // The job waits in the queue for 60 s. A forecast that counted this time would be far too late.
    const expected = forecastJobEnd(
      see([80_000, 84_000, 88_000], (at) => inPerCents((at - 60_000) / 40_000)),
      0,
    );
    expect(endOf(expected)).toBeGreaterThan(98_000);
    expect(endOf(expected)).toBeLessThan(102_000);
  });
});
