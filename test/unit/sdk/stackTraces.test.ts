import { beforeAll, describe, expect, it } from "vitest";
import { classes } from "./classes";
import { mockOutputs } from "./mocked";

beforeAll(() => mockOutputs({}));

describe.each(Object.entries(classes))("%s", (_, Class) => {
  it("leaves the stack traces of the program as they were, also where it cannot be made", () => {
    const before = Error.stackTraceLimit;
    new Class("docs", {});
    expect(Error.stackTraceLimit).toBe(before);
    expect(() => new Class("", {})).toThrow("name");
    expect(Error.stackTraceLimit).toBe(before);
  });
});
