import { expect, it } from "vitest";
import { unplainWords } from "../../../tools/check/plainWords";

it("a phrase that is read twice is named, and another one is not", () => {
  const twice = [
    "/** What a run leaves. */",
    "# What a run leaves",
    "a port that is " + "none",
    "The same, " + "where it is.",
  ];
  for (const text of twice) {
    expect(unplainWords("a.ts", `\n${text}`)).toEqual([expect.stringMatching(/^a\.ts:2: ".*": /s)]);
  }
  expect(
    unplainWords("a.ts", '// The journal tells\n// What a run leaves.\nconst text = "What to do: run again.";'),
  ).toEqual([]);
});
