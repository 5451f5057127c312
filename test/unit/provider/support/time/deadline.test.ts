import { expect, it } from "vitest";
import { Deadline } from "../../../../../provider/support/time/deadline";
import { calculateBackoffDelay, delays } from "../../../../../provider/support/time/delays";
import { FakeClock } from "../../../../support/fakeClock";

it("a deadline has passed from its moment on, and allows only what ends before it", () => {
  const clock = new FakeClock(1_000);
  const deadline = Deadline.in(500, clock);
  expect([deadline.at, deadline.left, deadline.hasPassed]).toEqual([500, 500, false]);
  expect([deadline.allows(499), deadline.allows(500)]).toEqual([true, false]);
  clock.pass(500);
  expect([deadline.left, deadline.hasPassed, deadline.allows(0)]).toEqual([0, true, false]);
  clock.setAhead(-7_200_000);
  expect(deadline.hasPassed).toBe(true);
});

it("a deadline at no known time has passed, and an infinite one never does", () => {
  const clock = new FakeClock();
  expect(Deadline.in(Number.NaN, clock).hasPassed).toBe(true);
  expect(Deadline.in(Number.POSITIVE_INFINITY, clock).allows(Number.MAX_VALUE)).toBe(true);
});

it.each(
  Object.entries(delays).flatMap(([name, rest]) =>
    typeof rest === "object" && "first" in rest ? [[name, rest] as const] : [],
  ),
)("the pause of %s doubles up to its longest", (_, { first, longest }) => {
  const series = Array.from({ length: 12 }, (_, tries) => calculateBackoffDelay({ first, longest }, tries));
  expect(series.slice(0, 3)).toEqual([first, 2 * first, 4 * first]);
  expect(series.at(-1)).toBe(longest);
});
