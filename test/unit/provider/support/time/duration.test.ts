import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatDuration, parseDuration } from "../../../../../provider/support/time/duration";

describe("parseDuration", () => {
  it.each([
    ["1h30m", 5_400_000],
    ["90s", 90_000],
    ["1.5h", 5_400_000],
    [".5s", 500],
    ["1.s", 1_000],
    ["0", 0],
    ["0s", 0],
    ["250ms", 250],
    ["5us", 0.005],
    ["5µs", 0.005],
    ["5μs", 0.005],
    ["5ns", 0.000005],
    ["1h1m1s1ms", 3_661_001],
    ["30m1h", 5_400_000],
    ["10m", 600_000],
  ])("reads %j as Go does", (text, milliseconds) => {
    expect(parseDuration(text)).toBeCloseTo(milliseconds, 9);
  });

  it.each([
    ...["", "5", "-1s", "-0", "1s ", " 1s", "1h 30m", "1d", "1w", "1e3s", "1S", ".s", "s", "1h30", "1..5s", "1,5s"],
    "ten minutes",
  ])("refuses %j", (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  it("refuses what is longer than any number", () => {
    expect(parseDuration(`${"9".repeat(400)}h`)).toBeUndefined();
  });

  it("refuses a million digits without a unit within the time of a test", () => {
    expect(parseDuration("9".repeat(1_000_000))).toBeUndefined();
  });

  it("never gives anything but a number of zero or more, or undefined", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9.hmsnuµ ]{0,12}$/)), (text) => {
        const value = parseDuration(text);
        expect(value === undefined || (Number.isFinite(value) && value >= 0)).toBe(true);
      }),
      { numRuns: 300, seed: 1 },
    );
  });
});

describe("formatDuration", () => {
  it.each([
    [-5, "0ms"],
    [0, "0ms"],
    [850.4, "850ms"],
    [1_000, "1s"],
    [42_300, "42s"],
    [59_600, "1m"],
    [60_000, "1m"],
    [185_000, "3m05s"],
    [600_000, "10m"],
    [3_599_600, "1h"],
    [3_600_000, "1h"],
    [3_720_000, "1h02m"],
    [86_400_000, "24h"],
  ])("writes %d as %s", (milliseconds, text) => {
    expect(formatDuration(milliseconds)).toBe(text);
  });

  it("is read back by parseDuration to within its last digit", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 ** 9 }), (milliseconds) => {
        const back = parseDuration(formatDuration(milliseconds)) ?? Number.NaN;
        const digit = milliseconds < 1_000 ? 0 : milliseconds < 3_599_000 ? 500 : 31_000;
        expect(Math.abs(back - milliseconds)).toBeLessThanOrEqual(digit);
      }),
      { numRuns: 300, seed: 2 },
    );
  });
});
