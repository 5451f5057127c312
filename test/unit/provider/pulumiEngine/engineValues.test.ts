import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unknown } from "../../../../provider/definitions/values";
import { splitHostFields } from "../../../../provider/hosts/dynamic/dynamicProvider";
import { encodeUnknownValues } from "../../../../provider/pulumiEngine/engineValues";
import { differsFromStored } from "../../../../provider/resources/differsFromStored";

const guid = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

describe("decode", () => {
  it("removes the host's own keys", () => {
    expect(splitHostFields({ __provider: "text", __urn: "urn:x", domain: "a.test", __origin: "o" })).toEqual({
      fields: { __provider: "text", __urn: "urn:x" },
      properties: { domain: "a.test", __origin: "o" },
    });
    expect(splitHostFields({ __provider: 3, __urn: guid, a: 1 })).toEqual({ fields: {}, properties: { a: 1 } });
    expect(splitHostFields({})).toEqual({ fields: {}, properties: {} });
  });

  it("marks what is not known yet, at every depth", () => {
    const { properties } = splitHostFields({ a: guid, b: { c: [1, guid, { d: guid }] }, e: `x${guid}`, f: null });
    expect(properties).toEqual({ a: unknown, b: { c: [1, unknown, { d: unknown }] }, e: `x${guid}`, f: null });
  });
});

it("encodeUnknownValues is the way back, for whatever JSON with unknown values in it", () => {
  const leaf = fc.oneof(fc.constant(guid), fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof({ maxDepth: 3 }, leaf, fc.array(tie("tree")), fc.dictionary(fc.string(), tie("tree"))),
  }));
  fc.assert(
    fc.property(fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), tree), (sent) => {
      const { properties } = splitHostFields(sent);
      expect(encodeUnknownValues(properties)).toEqual(JSON.parse(JSON.stringify(sent)));
    }),
    { numRuns: 200, seed: 19 },
  );
});

describe("differsFromStored", () => {
  it.each([
    [1, unknown, true],
    [{ a: 1 }, { a: unknown }, true],
    [[1], [unknown], true],
    [undefined, unknown, true],
    [{}, { a: unknown }, true],
    [undefined, null, false],
    [null, undefined, false],
    ["a", undefined, true],
    [undefined, "a", true],
    [{ a: 1, b: [2] }, { b: [2], a: 1 }, false],
    [{ a: 1 }, { a: 2 }, true],
  ])("of %o to %o is %o: what is not known counts as changed, null as not given", (stored, input, expected) => {
    expect(differsFromStored(stored, input)).toBe(expected);
  });
});
