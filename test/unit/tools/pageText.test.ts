import { expect, it } from "vitest";
import { measure } from "../../../tools/check/pageText";

const sentence = (words: number) => `${Array.from({ length: words }, () => "word").join(" ")}.`;

it("words are those that a reader sees: no block of code, no target of a link", () => {
  expect(measure("# One two\n\nThree [four](page.md#five) — `six`.\n\n```sh\nseven\n```\n")).toEqual({
    words: 5,
    longSentences: [],
  });
});

it("a sentence of more than 25 words is long, and no other", () => {
  expect(
    measure(`${sentence(25)} W${sentence(26)}\n\n| a | ${sentence(26)} |\n|---|---|\n`).longSentences,
  ).toHaveLength(2);
});
