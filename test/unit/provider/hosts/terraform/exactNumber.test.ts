import { describe, expect, it } from "vitest";
import { exactNumber, parseExact } from "../../../../../provider/hosts/terraform/exactNumber";

describe("a number of any length", () => {
  it.each([
    ["0.1", 0.1],
    ["1e3", 1000],
    [1000n, 1000],
    ["-0", 0],
    ["0.30000000000000004", 0.30000000000000004],
    ["1.50", 1.5],
  ])("that a float64 keeps is one: %s", (given, expected) => {
    expect(exactNumber(given)).toBe(expected);
  });

  it.each([
    ["9007199254740993", "9007199254740993"],
    ["9007199254740993.0", "9007199254740993"],
    ["-1234567890123456789012345678901234567890", "-1234567890123456789012345678901234567890"],
    ["12345678901234567890e-25", "0.000001234567890123456789"],
  ])("else has all its digits, also in JSON: %s", (given, digits) => {
    expect(exactNumber(given)).toMatchObject({ digits });
    expect(JSON.stringify({ a: exactNumber(given) })).toBe(`{"a":${digits}}`);
  });

  it("is the same after JSON", () => {
    const values = { a: [exactNumber("9007199254740993"), 0.1, "9007199254740993"], b: null };
    expect(parseExact(JSON.stringify(values))).toEqual(values);
  });
});
