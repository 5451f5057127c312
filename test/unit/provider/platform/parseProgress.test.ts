import { expect, it } from "vitest";
import { parseProgress } from "../../../../provider/platform/parseProgress";

it.each([
  [0, 0],
  [42, 0.42],
  [0.42, 0.42],
  [1, 0.01],
  [100, 1],
  [250, 1],
  ["42", 0.42],
  ["42%", 0.42],
  ["42 %", 0.42],
  ["42.5 percent", 0.425],
  ["0.42", 0.42],
  ["5/20", 0.25],
  ["5 of 20 pages", 0.25],
  ["rendered 30/20", 1],
  [{ percent: 42 }, 0.42],
  [{ percentage: "42%" }, 0.42],
  [{ completed: 5, total: 20 }, 0.25],
  [{ done: 0, total: 20 }, 0],
  [{ current: 5, totalPages: 10 }, 0.5],
  [{ value: 0.42 }, 0.42],
])("progress %j is %d", (value, expected) => {
  expect(parseProgress(value)).toBeCloseTo(expected);
});

it.each([
  undefined,
  null,
  "",
  "rendering",
  "5/0",
  "-1",
  -1,
  Number.NaN,
  true,
  [],
  [42],
  {},
  { completed: 5 },
  { completed: 5, total: 0 },
  { percent: {} },
  { percent: null },
])("progress %j says nothing", (value) => {
  expect(parseProgress(value)).toBeUndefined();
});
