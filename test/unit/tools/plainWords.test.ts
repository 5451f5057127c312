import { expect, it } from "vitest";
import { unplainWords } from "../../../tools/check/plainWords";

it.each([
  "/** What a run leaves. */",
  "/**\n * What a run leaves, and the next one\n * removes.\n */",
  "  // What is left.",
  "/* What is left. */",
  "# What a run leaves",
  "a port that is " + "none",
  "the state is " + "meant",
  "The same, " + "where a request is needed.",
])("a phrase that is read twice is named: %s", (text) => {
  expect(unplainWords("a.ts", `\n${text}`)).toEqual([expect.stringMatching(/^a\.ts:2: ".*": /s)]);
});

it.each(["// The journal tells\n// What a run leaves.", 'const text = "What to do: run again.";', "## Whatever"])(
  "another one is not: %s",
  (text) => {
    expect(unplainWords("a.ts", text)).toEqual([]);
  },
);
