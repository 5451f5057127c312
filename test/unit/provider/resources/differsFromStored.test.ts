import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withoutUndefinedValues } from "../../../../provider/pulumiEngine/engineValues";
import { differsFromStored } from "../../../../provider/resources/differsFromStored";

const runs = { numRuns: 300, seed: 5 };

describe("differsFromStored", () => {
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
        const [a, b] = [withoutUndefinedValues(left), withoutUndefinedValues(right)];
        expect(differsFromStored(a, b)).toBe(canonical(a) !== canonical(b));
        expect(differsFromStored(b, a)).toBe(differsFromStored(a, b));
      }),
      runs,
    );
  });

  it("counts a value that is missing as null", () => {
    expect(differsFromStored(undefined, null)).toBe(false);
    expect(differsFromStored(null, undefined)).toBe(false);
  });

  it("counts a key that is undefined as no key", () => {
    expect(differsFromStored({ a: 1, b: undefined }, { a: 1 })).toBe(false);
    expect(differsFromStored({ a: 1 }, { a: 1, b: undefined })).toBe(false);
    expect(differsFromStored({ a: undefined }, { b: undefined })).toBe(false);
  });

  it.each([
    [null, {}],
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
  ])("distinguishes %j from %j", (left, right) => {
    expect(differsFromStored(left, right)).toBe(true);
    expect(differsFromStored(right, left)).toBe(true);
  });
});

it("withoutUndefinedValues drops what is undefined, at every depth, and accepts a frozen value", () => {
  const frozen = Object.freeze({ a: undefined, b: Object.freeze({ c: undefined, d: [1] }) });
  const copy = withoutUndefinedValues(frozen);
  expect(copy).toEqual({ b: { d: [1] } });
  expect(Object.keys(copy)).toEqual(["b"]);
  expect(Object.isFrozen(copy)).toBe(false);
});
