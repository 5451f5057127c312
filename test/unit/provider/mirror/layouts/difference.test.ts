import { expect, it } from "vitest";
import { describeDifference } from "../../../../../provider/mirror/layouts/layout";

it.each([
  [["a.html"], "1 file differs: a.html"],
  [["a.html", "b.css"], "2 files differ: a.html, b.css"],
  [["a", "b", "c", "d", "e"], "5 files differ: a, b, c and 2 more"],
])("a difference names its first files: %j", (paths, text) => {
  expect(describeDifference(paths)).toBe(text);
});
