import { expect, it } from "vitest";
import { throttleStatus } from "../../../../provider/engine/throttleStatus";

function shownAt(times: number[]): number[] {
  let now = 0;
  const shown: number[] = [];
  const status = throttleStatus(
    (text) => shown.push(Number(text)),
    () => now,
  );
  for (const time of times) {
    now = time;
    status(String(time));
  }
  return shown;
}

it("the first report passes at once, and the next ones every two seconds at most", () => {
  const halfSeconds = Array.from({ length: 21 }, (_, index) => 5_000 + index * 500);
  expect(shownAt(halfSeconds)).toEqual([5_000, 7_000, 9_000, 11_000, 13_000, 15_000]);
});

it("a wait of half an hour reports ever more seldom: less than a hundred times", () => {
  const seconds = Array.from({ length: 1_800 }, (_, index) => index * 1_000);
  const shown = shownAt(seconds);
  expect(shown.length).toBeGreaterThan(20);
  expect(shown.length).toBeLessThan(100);
  const gaps = shown.slice(1).map((time, index) => time - (shown[index] ?? 0));
  expect(gaps.every((gap, index) => gap >= (gaps[index - 1] ?? 0) - 1_000)).toBe(true);
});
