import { describe, expect, it } from "vitest";
import { createLimiter } from "../../../provider/platform/limiter";
import { never } from "../../support/clientUnderTest";
import { FakeClock } from "../../support/fakeClock";

describe("the limit of requests a second", () => {
  it("is none by default", async () => {
    const clock = new FakeClock();
    const limiter = createLimiter(undefined, clock);
    await Promise.all(Array.from({ length: 100 }, () => limiter.turn(never)));
    expect(clock.sleeps).toEqual([]);
  });

  it("spaces requests evenly, in the order in which they came", async () => {
    // A clock that stands: each rest is then counted from the same moment.
    const rests: number[] = [];
    const limiter = createLimiter(4, { now: () => 1_000, sleep: async (ms) => void rests.push(ms) });
    await Promise.all(Array.from({ length: 5 }, () => limiter.turn(never)));
    expect(rests).toEqual([250, 500, 750, 1_000]);
  });

  it("lets requests in turn that come slower pass at once, and saves no turns up", async () => {
    const clock = new FakeClock();
    const limiter = createLimiter(10, clock);
    for (let request = 0; request < 3; request++) {
      await limiter.turn(never);
      clock.pass(1_000);
    }
    expect(clock.sleeps).toEqual([]);
    await limiter.turn(never);
    await limiter.turn(never);
    expect(clock.sleeps).toEqual([100]);
  });
});
