import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { retryDelay } from "../../../../provider/platform/answerTimes";
import { parseRetryAfter } from "../../../../provider/support/time/parseRetryAfter";

describe("retryDelay", () => {
  it("is full jitter: from nothing up to a bound that doubles from 500 ms to 20 s", () => {
    expect([0, 1, 2, 3, 4, 5, 6, 20].map((retry) => retryDelay(retry, undefined, () => 1))).toEqual([
      500, 1_000, 2_000, 4_000, 8_000, 16_000, 20_000, 20_000,
    ]);
    fc.assert(
      fc.property(fc.nat(20), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (retry, share) => {
        const delay = retryDelay(retry, undefined, () => share);
        expect(delay).toBeGreaterThanOrEqual(0);
        expect(delay).toBeLessThan(Math.min(20_000, 500 * 2 ** retry) + 1e-9);
      }),
      { numRuns: 300, seed: 13 },
    );
  });

  it("is exactly what the platform asks for, longer or shorter than the own rule", () => {
    expect(retryDelay(9, 0, () => 1)).toBe(0);
    expect(retryDelay(0, 90_000, () => 0)).toBe(90_000);
  });
});

describe("parseRetryAfter", () => {
  const now = Date.parse("2026-01-31T10:00:00Z");
  it.each([
    ["0", 0],
    ["7", 7_000],
    [" 7 ", 7_000],
    ["1.5", 1_500],
    ["Sat, 31 Jan 2026 10:00:30 GMT", 30_000],
    ["Sat, 31 Jan 2026 09:00:00 GMT", 0],
    [undefined, undefined],
    ["", undefined],
    ["-5", undefined],
    ["soon", undefined],
    ["2026", 2_026_000],
    ["7s", undefined],
    ["99999999999999999999", undefined],
  ])("%j is %j ms", (header, expected) => {
    expect(parseRetryAfter(header, now)).toBe(expected);
  });
});
