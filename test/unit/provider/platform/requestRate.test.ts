import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRequestRate } from "../../../../provider/platform/requestRate";

const unlimited = Number.POSITIVE_INFINITY;
const second = 1_000;

/** A rate that sends this many requests at time 0, of which one is answered with 429. */
function after429(allowed: number, requests: number) {
  const rate = createRequestRate(allowed);
  for (let request = 0; request < requests; request++) {
    rate.sent(0);
  }
  rate.answered(0, 0, true);
  return rate;
}

describe("the rate of requests", () => {
  it("is what the user allows", () => {
    expect(createRequestRate(4).gap()).toBe(250);
    expect(createRequestRate(unlimited).gap()).toBe(0);
  });

  it("after a 429 is half of what was sent in the last second", () => {
    expect(after429(unlimited, 20).gap()).toBe(100);
    expect(after429(100, 20).gap()).toBe(100);
  });

  it("is halved once by many 429 to what was on its way at once, and again by one to a later request", () => {
    const rate = after429(unlimited, 20);
    rate.answered(-1, 5, true);
    rate.answered(-500, 6, true);
    expect(rate.gap()).toBe(100);
    rate.sent(100);
    rate.answered(100, 110, true);
    expect(rate.gap()).toBeGreaterThan(100);
  });

  it("is never slowed down below two requests a second, and a slower one that the user set stays", () => {
    for (const [allowed, gap] of [
      [unlimited, 500],
      [10, 500],
      [0.1, 10_000],
    ] as const) {
      const rate = createRequestRate(allowed);
      for (let time = 0; time < 20; time++) {
        const at = time * 100;
        rate.sent(at);
        rate.sent(at);
        rate.sent(at);
        rate.answered(at, at, true);
      }
      expect(rate.gap()).toBe(gap);
    }
  });

  it("is left as it is by a 429 to what is sent one at a time", () => {
    const rate = createRequestRate(unlimited);
    for (let time = 0; time < 5; time++) {
      rate.sent(time * second);
      rate.answered(time * second, time * second, true);
    }
    expect(rate.gap()).toBe(0);
  });

  it("gets faster step by step with each second without a 429, and ends at what the user allows", () => {
    const rate = after429(20, 20);
    const rates: number[] = [];
    for (let time = 1; time <= 7; time++) {
      rate.answered(time * second, time * second, false);
      rate.answered(time * second, time * second, false);
      rates.push(Math.round(second / rate.gap()));
    }
    expect(rates).toEqual([12, 14, 16, 18, 20, 20, 20]);
  });

  it("without a limit of the user's ends at none", () => {
    const rate = after429(unlimited, 20);
    rate.answered(14 * second, 14 * second, false);
    expect(rate.gap()).toBeGreaterThan(0);
    rate.answered(16 * second, 16 * second, false);
    expect(rate.gap()).toBe(0);
  });

  it("never passes what the user allows, whatever is answered when", () => {
    const answer = fc.record({ wait: fc.nat(5_000), way: fc.nat(3_000), tooMany: fc.boolean() });
    fc.assert(
      fc.property(fc.double({ min: 0.01, max: 1_000, noNaN: true }), fc.array(answer), (allowed, answers) => {
        const rate = createRequestRate(allowed);
        let now = 0;
        for (const { wait, way, tooMany } of answers) {
          now += wait;
          rate.sent(now);
          rate.answered(now - way, now, tooMany);
          expect(rate.gap()).toBeGreaterThanOrEqual(second / allowed - 1e-6);
          expect(rate.gap()).toBeLessThanOrEqual(Math.max(500, second / allowed) + 1e-6);
        }
      }),
    );
  });
});
