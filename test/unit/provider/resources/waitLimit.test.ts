import { expect, it } from "vitest";
import { waitLimit } from "../../../../provider/resources/waitLimit";
import { FakeClock } from "../../../support/fakeClock";

const at = (duration?: number) => ({
  clock: new FakeClock(1_000),
  ...(duration !== undefined && { timeLimit: { duration, name: "customTimeouts" } }),
});

function limits(...given: Parameters<typeof waitLimit>): [time: string, deadline: number] {
  const { time, deadline } = waitLimit(...given);
  return [time, deadline.at];
}

it("a wait lasts for waitTimeout, by default half an hour", () => {
  expect(limits({}, at())).toEqual(["30m", 1_801_000]);
  expect(limits({ waitTimeout: "5s" }, at(6_000))).toEqual(["5s", 6_000]);
});

it("a wait ends with the engine's own limit of the operation, where that comes first, and says so", () => {
  expect(limits({}, at(5_000))).toEqual(["5s, of customTimeouts", 6_000]);
});
