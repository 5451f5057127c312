import { describe, expect, it } from "vitest";
import {
  booleanRule,
  durationRule,
  hostNameRule,
  identifierRule,
  requireValidInputs,
  textRule,
  validateInputs,
  withoutUnset,
} from "../../../../provider/definitions/rules";
import { unknown } from "../../../../provider/definitions/values";
import { InternalError } from "../../../../provider/support/errors";
import { checked } from "../../../support/decisions";

describe("a host name", () => {
  it.each([
    "docs.example.com",
    "localhost",
    "a-b.c-d.example",
    "xn--bcher-kva.example",
    "bücher.example",
    "DOCS.Example.COM",
    `${"a".repeat(63)}.example`,
  ])("%s is good", (domain) => {
    expect(hostNameRule(domain)).toBeUndefined();
  });

  it.each([
    ["https://docs.example.com", "scheme"],
    ["docs.example.com/", "path"],
    ["docs.example.com?x=1", "path"],
    ["docs.example.com#x", "path"],
    ["docs.example.com\\x", "path"],
    ["docs.example.com:443", "port"],
    ["[::1]", "port"],
    ["me@docs.example.com", "user name"],
    ["docs.example.com ", "contains a space"],
    ["", "is blank"],
    ["docs.example.com.", "not a host name"],
    ["docs..example.com", "not a host name"],
    ["-docs.example.com", "not a host name"],
    ["*.example.com", "not a host name"],
    ["docs_1.example.com", "not a host name"],
    [`${"a".repeat(64)}.example`, "not a host name"],
    [`${"a.".repeat(127)}com`, "not a host name"],
  ])("%j is refused: %s", (domain, reason) => {
    expect(hostNameRule(domain)).toContain(reason);
    expect(hostNameRule(domain)).toContain("such as docs.example.com");
  });

  it.each([1, true, {}, ["docs.example.com"]])("%j is refused: no text", (domain) => {
    expect(hostNameRule(domain)).toContain("must be a host name");
  });
});

describe("the other rules", () => {
  it("an id is a text, not blank, and no step in a path", () => {
    expect(["job-1", "a/b", "...", "ü"].map(identifierRule)).toEqual(Array(4).fill(undefined));
    expect(["", " ", ".", "..", 3, {}].map(identifierRule).every((reason) => reason?.includes("must"))).toBe(true);
  });

  it("a duration is a text in Go's form, above zero or from zero on", () => {
    const above = durationRule({ zero: false });
    const from = durationRule({ zero: true });
    expect(["30m", "1ns"].map(above)).toEqual([undefined, undefined]);
    expect(["0", "0s", "10m"].map(from)).toEqual([undefined, undefined, undefined]);
    expect(above("0")).toContain("above zero");
    expect(from("-1s")).toContain("of zero or more");
    for (const bad of ["", "5", "1d", 30, null, "1 h"]) {
      expect(above(bad)).toContain("must be a duration");
      expect(from(bad)).toContain("must be a duration");
    }
  });

  it("a text is not blank, and a booleanRule is no text", () => {
    expect([textRule("a"), textRule(" "), textRule(1)]).toEqual([
      undefined,
      "must be a string that is not blank",
      "must be a string that is not blank",
    ]);
    expect([booleanRule(true), booleanRule("true")]).toEqual([undefined, "must be true or false"]);
  });
});

describe("validate", () => {
  const fields = { domain: { rule: hostNameRule, required: true as const }, jobId: { rule: identifierRule } };

  it("names what is required and not given, where null counts as not given", () => {
    const missing = [{ property: "domain", reason: "is required" }];
    expect(validateInputs({}, fields)).toEqual(missing);
    expect(validateInputs({ domain: null, jobId: undefined }, fields)).toEqual(missing);
  });

  it("lets what is not known yet pass", () => {
    expect(validateInputs({ domain: unknown, jobId: unknown }, fields)).toEqual([]);
  });

  it("lets nothing unknown through to a request", () => {
    for (const domain of [unknown, undefined, null, ""]) {
      expect(() => requireValidInputs(fields, { domain })).toThrow(InternalError);
    }
    expect(requireValidInputs(fields, { domain: "a.test", other: 1 })).toEqual({ domain: "a.test" });
  });

  it("names a misspelt argument, and those that there are", () => {
    expect(validateInputs({ domain: "a.test", jobid: "x" }, fields)).toEqual([
      { property: "jobid", reason: "is not an argument of this resource, which has domain, jobId" },
    ]);
  });

  it.each(["constructor", "toString", "hasOwnProperty"])("names %s as misspelt too", (name) => {
    expect(validateInputs({ domain: "a.test", [name]: "x" }, fields)).toHaveLength(1);
  });

  it("given leaves out what is not given, and nothing else", () => {
    expect(withoutUnset({ a: null, b: undefined, c: 0, d: "", e: false, f: unknown })).toEqual({
      c: 0,
      d: "",
      e: false,
      f: unknown,
    });
  });
});

describe("check", () => {
  it.each([
    [{ format: "html", nested: { domain: "b.test" } }, []],
    [{ domain: "b.test" }, ["must not contain domain, which is a separate input"]],
    [["html"], ["must be an object"]],
    ["html", ["must be an object"]],
  ])("of StaticExport accepts the export options %j, or says: %j", (exportOptions, reasons) => {
    const { failures } = checked("StaticExport", { domain: "a.test", exportOptions }, undefined);
    expect(failures).toEqual(reasons.map((reason) => ({ property: "exportOptions", reason })));
  });
});
