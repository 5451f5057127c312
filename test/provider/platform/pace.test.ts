import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createPace } from "../../../provider/platform/pace";

const unlimited = Number.POSITIVE_INFINITY;
const second = 1_000;

/** A pace that sends so many requests at the time 0, of which one is answered 429. */
function after429(allowed: number, requests: number) {
  const pace = createPace(allowed);
  for (let request = 0; request < requests; request++) {
    pace.sent(0);
  }
  pace.answered(0, 0, true);
  return pace;
}

describe("the pace of requests", () => {
  it("is what the user allows", () => {
    expect(createPace(4).gap()).toBe(250);
    expect(createPace(unlimited).gap()).toBe(0);
  });

  it("after a 429 is half of what was sent in the last second", () => {
    expect(after429(unlimited, 20).gap()).toBe(100);
    expect(after429(100, 20).gap()).toBe(100);
  });

  it("is halved once by many 429 to what was on its way at once, and again by one to a later request", () => {
    const pace = after429(unlimited, 20);
    pace.answered(-1, 5, true);
    pace.answered(-500, 6, true);
    expect(pace.gap()).toBe(100);
    pace.sent(100);
    pace.answered(100, 110, true);
    expect(pace.gap()).toBeGreaterThan(100);
  });

  it("is never slowed down below two requests a second, and a slower one that the user set stays", () => {
    for (const [allowed, gap] of [
      [unlimited, 500],
      [10, 500],
      [0.1, 10_000],
    ] as const) {
      const pace = createPace(allowed);
      for (let time = 0; time < 20; time++) {
        const at = time * 100;
        pace.sent(at);
        pace.sent(at);
        pace.sent(at);
        pace.answered(at, at, true);
      }
      expect(pace.gap()).toBe(gap);
    }
  });

  it("is left as it is by a 429 to what is sent one at a time", () => {
    const pace = createPace(unlimited);
    for (let time = 0; time < 5; time++) {
      pace.sent(time * second);
      pace.answered(time * second, time * second, true);
    }
    expect(pace.gap()).toBe(0);
  });

  it("gets faster step by step with each second without a 429, and ends at what the user allows", () => {
    const pace = after429(20, 20);
    const rates: number[] = [];
    for (let time = 1; time <= 7; time++) {
      pace.answered(time * second, time * second, false);
      pace.answered(time * second, time * second, false);
      rates.push(Math.round(second / pace.gap()));
    }
    expect(rates).toEqual([12, 14, 16, 18, 20, 20, 20]);
  });

  it("without a limit of the user's ends at none", () => {
    const pace = after429(unlimited, 20);
    pace.answered(14 * second, 14 * second, false);
    expect(pace.gap()).toBeGreaterThan(0);
    pace.answered(16 * second, 16 * second, false);
    expect(pace.gap()).toBe(0);
  });

  it("never passes what the user allows, whatever is answered when", () => {
    const answer = fc.record({ wait: fc.nat(5_000), way: fc.nat(3_000), tooMany: fc.boolean() });
    fc.assert(
      fc.property(fc.double({ min: 0.01, max: 1_000, noNaN: true }), fc.array(answer), (allowed, answers) => {
        const pace = createPace(allowed);
        let now = 0;
        for (const { wait, way, tooMany } of answers) {
          now += wait;
          pace.sent(now);
          pace.answered(now - way, now, tooMany);
          expect(pace.gap()).toBeGreaterThanOrEqual(second / allowed - 1e-6);
          expect(pace.gap()).toBeLessThanOrEqual(Math.max(500, second / allowed) + 1e-6);
        }
      }),
    );
  });
});
