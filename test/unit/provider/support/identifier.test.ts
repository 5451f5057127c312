import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { identifierProblem } from "../../../../provider/support/identifier";

describe("an identifier", () => {
  it.each(["job-1", "a/b", "../../v2", "...", "%2e%2e", "ünï-日本", "\u{1f600}", " a ", "{id}", "0", "x".repeat(256)])(
    "%j is one",
    (id) => {
      expect(identifierProblem(id)).toBeUndefined();
    },
  );

  it.each([
    ["", "must not be blank"],
    [" ", "must not be blank"],
    ["\t\r\n", "must not be blank"],
    ["\ud800", "must not contain an incomplete character"],
    ["a\udc00b", "must not contain an incomplete character"],
    [".", 'must not be "."'],
    ["..", 'must not be ".."'],
    ["job\n::stop-commands::x", "must not contain control characters"],
    ["\u001b]52;c;eA==\u0007", "must not contain control characters"],
    ["a\u009b31m", "must not contain control characters"],
    ["a\u202egpj", "must not contain control characters"],
    ["a\u2028b", "must not contain control characters"],
    ["x".repeat(257), "must have at most 256 characters"],
  ])("%j is none: %s", (id, problem) => {
    expect(identifierProblem(id)).toContain(problem);
  });

  it("can be percent-encoded and read back, and never is a step in a path", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (id) => {
        fc.pre(identifierProblem(id) === undefined);
        const encoded = encodeURIComponent(id);
        expect(decodeURIComponent(encoded)).toBe(id);
        expect(new URL(`https://h.test/a/${encoded}/b`).pathname.split("/")).toHaveLength(4);
      }),
      { numRuns: 200, seed: 19 },
    );
  });
});
