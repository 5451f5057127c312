import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isRenewalDue, renewalMargin } from "../../../../provider/resources/renewal";

const issued = 1_000_000_000_000;
const lives = fc.record({ length: fc.integer({ min: 1, max: 10 ** 10 }) }).map(({ length }) => ({
  validFrom: issued,
  validUntil: issued + length,
}));
const margins = fc.integer({ min: 0, max: 10 ** 10 });
const runs = { numRuns: 300, seed: 18 };

describe("the margin", () => {
  it("is as wanted, but never more than half of the link's own life, and never below zero", () => {
    fc.assert(
      fc.property(lives, margins, (life, wanted) => {
        const margin = renewalMargin(life, wanted);
        const half = (life.validUntil - life.validFrom) / 2;
        expect(margin).toBe(wanted <= half ? wanted : half);
        expect(margin).toBeGreaterThanOrEqual(0);
      }),
      runs,
    );
  });

  it("is none for a link that ends before it begins", () => {
    expect(renewalMargin({ validFrom: issued, validUntil: issued - 1 }, 600_000)).toBe(0);
  });
});

describe("a renewal", () => {
  it("that is due stays due", () => {
    fc.assert(
      fc.property(lives, margins, fc.nat(2 * 10 ** 9), fc.nat(10 ** 9), (life, wanted, now, later) => {
        fc.pre(isRenewalDue(life, wanted, issued + now));
        expect(isRenewalDue(life, wanted, issued + now + later)).toBe(true);
      }),
      runs,
    );
  });

  it("is due at the link's end at the latest, and never in the first half of its life", () => {
    fc.assert(
      fc.property(lives, margins, (life, wanted) => {
        const half = (life.validUntil - life.validFrom) / 2;
        expect(isRenewalDue(life, wanted, life.validUntil)).toBe(true);
        expect(isRenewalDue(life, wanted, life.validFrom + half - 0.5)).toBe(false);
      }),
      runs,
    );
  });

  it("with a wider margin is never later", () => {
    fc.assert(
      fc.property(lives, margins, margins, fc.nat(10 ** 9), (life, narrow, more, now) => {
        fc.pre(isRenewalDue(life, narrow, issued + now));
        expect(isRenewalDue(life, narrow + more, issued + now)).toBe(true);
      }),
      runs,
    );
  });

  it("with a margin of 0 is due at the very end, and not before", () => {
    const life = { validFrom: issued, validUntil: issued + 60_000 };
    expect(isRenewalDue(life, 0, life.validUntil - 1)).toBe(false);
    expect(isRenewalDue(life, 0, life.validUntil)).toBe(true);
  });
});
