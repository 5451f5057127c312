import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toJson } from "../../../../provider/pulumiEngine/engineValues";
import { sameJson } from "../../../../provider/resources/compare";

const runs = { numRuns: 300, seed: 5 };

describe("sameJson", () => {
  it("agrees with the canonical text of two values, and is symmetric", () => {
    const canonical = (value: unknown): string =>
      JSON.stringify(value, (_, item) =>
        typeof item === "object" && item !== null && !Array.isArray(item)
          ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
          : item,
      );
    const small = fc.jsonValue({ maxDepth: 2, stringUnit: fc.constantFrom("a", "b") });
    fc.assert(
      fc.property(small, small, (left, right) => {
        const [a, b] = [toJson(left), toJson(right)];
        expect(sameJson(a, b)).toBe(canonical(a) === canonical(b));
        expect(sameJson(b, a)).toBe(sameJson(a, b));
      }),
      runs,
    );
  });

  it("counts a key that is undefined as no key", () => {
    expect(sameJson({ a: 1, b: undefined }, { a: 1 })).toBe(true);
    expect(sameJson({ a: 1 }, { a: 1, b: undefined })).toBe(true);
    expect(sameJson({ a: undefined }, { b: undefined })).toBe(true);
  });

  it.each([
    [null, {}],
    [null, undefined],
    [[], {}],
    [{}, []],
    [
      [1, 2],
      [2, 1],
    ],
    [[1], [1, 1]],
    [1, "1"],
    [true, 1],
    [{ a: null }, {}],
    [{ a: { b: 1 } }, { a: { b: 2 } }],
    [{ toString: 1 }, {}],
  ])("tells %j from %j", (left, right) => {
    expect(sameJson(left, right)).toBe(false);
    expect(sameJson(right, left)).toBe(false);
  });
});

describe("toJson", () => {
  it("drops what is undefined, at every depth, and takes a frozen value apart", () => {
    const frozen = Object.freeze({ a: undefined, b: Object.freeze({ c: undefined, d: [1] }) });
    const copy = toJson(frozen);
    expect(copy).toEqual({ b: { d: [1] } });
    expect(Object.keys(copy)).toEqual(["b"]);
    expect(Object.isFrozen(copy)).toBe(false);
  });
});
