import { expect, it } from "vitest";
import { waitLimit } from "../../../../provider/resources/waitLimit";
import { FakeClock } from "../../../support/fakeClock";

const at = (duration?: number) => ({
  clock: new FakeClock(1_000),
  ...(duration !== undefined && { timeLimit: { duration, name: "customTimeouts" } }),
});

it("a wait lasts for waitTimeout, by default half an hour", () => {
  expect(waitLimit({}, at())).toEqual({ waitTimeout: "30m", deadline: 1_801_000 });
  expect(waitLimit({ waitTimeout: "5s" }, at(6_000))).toEqual({ waitTimeout: "5s", deadline: 6_000 });
});

it("a wait ends with the engine's own limit of the operation, where that comes first, and says so", () => {
  expect(waitLimit({}, at(5_000))).toEqual({ waitTimeout: "5s, of customTimeouts", deadline: 6_000 });
});
