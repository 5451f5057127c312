import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RateLimiter } from "../../../../provider/platform/rateLimiter";
import { Deadline } from "../../../../provider/support/time/deadline";
import { never } from "../../../support/clientUnderTest";
import { FakeClock } from "../../../support/fakeClock";

/** A clock that moves the time forward for a sleep only after all other pending work has run. */
class SteppingClock extends FakeClock {
  override async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    await new Promise(setImmediate);
    await super.sleep(ms, signal);
  }
}

/** Requests this number of turns at the same time. Returns the time of each turn, in milliseconds from now. */
async function turns(limiter: RateLimiter, clock: SteppingClock, count: number): Promise<number[]> {
  const begin = clock.now();
  return Promise.all(
    Array.from({ length: count }, () => limiter.turn(undefined, never).then(() => clock.now() - begin)),
  );
}

describe("the limit of requests a second", () => {
  it("is none by default", async () => {
    const clock = new SteppingClock();
    await turns(new RateLimiter(undefined, clock), clock, 100);
    expect(clock.sleeps).toEqual([]);
  });

  it("spaces requests evenly, in the order in which they came", async () => {
    const clock = new SteppingClock();
    expect(await turns(new RateLimiter(4, clock), clock, 5)).toEqual([0, 250, 500, 750, 1_000]);
  });

  it("lets requests in turn that come slower pass at once, and saves no turns up", async () => {
    const clock = new SteppingClock();
    const limiter = new RateLimiter(10, clock);
    for (let request = 0; request < 3; request++) {
      await limiter.turn(undefined, never);
      clock.pass(1_000);
    }
    expect(clock.sleeps).toEqual([]);
    await limiter.turn(undefined, never);
    await limiter.turn(undefined, never);
    expect(clock.sleeps).toEqual([100]);
  });

  it("lets one that waits go at its deadline, which costs no turn of the others", async () => {
    const clock = new SteppingClock();
    const limiter = new RateLimiter(1, clock);
    const begin = clock.now();
    const ends: [string, number][] = [];
    const note = (name: string) => () => ends.push([name, clock.now() - begin]);
    await Promise.all([
      limiter.turn(undefined, never).then(note("first")),
      limiter.turn(Deadline.in(400, clock), never).then(note("late")),
      limiter.turn(undefined, never).then(note("second")),
    ]);
    expect(ends).toEqual([
      ["first", 0],
      ["late", 400],
      ["second", 1_000],
    ]);
  });

  it("lets one that is cancelled go at once, which costs no turn of the others", async () => {
    const clock = new SteppingClock();
    const limiter = new RateLimiter(1, clock);
    const controller = new AbortController();
    await limiter.turn(undefined, never);
    const cancelled = limiter.turn(undefined, controller.signal);
    const next = turns(limiter, clock, 1);
    controller.abort(new Error("cancelled"));
    await expect(cancelled).rejects.toThrow("cancelled");
    expect(await next).toEqual([1_000]);
    await expect(limiter.turn(undefined, AbortSignal.abort(new Error("before")))).rejects.toThrow("before");
  });

  it("delays nobody for more than one gap when somebody sets the clock back", async () => {
    const clock = new SteppingClock();
    const limiter = new RateLimiter(1, clock);
    await limiter.turn(undefined, never);
    clock.setAhead(-3_600_000);
    expect(await turns(limiter, clock, 1)).toEqual([1_000]);
  });

  it("is two a second for all after a 429, also where there was none, and faster with each other answer", async () => {
    const clock = new SteppingClock();
    const limiter = new RateLimiter(undefined, clock);
    await turns(limiter, clock, 8);
    limiter.answered(429);
    limiter.answered(429);
    clock.pass(499);
    expect(await turns(limiter, clock, 3)).toEqual([1, 501, 1_001]);
    limiter.answered(200);
    limiter.answered(500);
    expect(await turns(limiter, clock, 2)).toEqual([405, 810]);
    for (let answer = 0; answer < 50; answer++) {
      limiter.answered(200);
    }
    expect(await turns(limiter, clock, 9)).toEqual(Array.from({ length: 9 }, () => 0));
  });

  it("never passes what the user allows, and is never slower than two a second for a 429, whatever is answered", async () => {
    const statuses = fc.array(fc.constantFrom(200, 404, 429, 503), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(fc.double({ min: 0.01, max: 1_000, noNaN: true }), statuses, async (allowed, answers) => {
        const clock = new SteppingClock();
        const limiter = new RateLimiter(allowed, clock);
        await turns(limiter, clock, 3);
        clock.sleeps.length = 0;
        for (const status of answers) {
          limiter.answered(status);
        }
        await limiter.turn(undefined, never);
        const [rest = 0] = clock.sleeps;
        expect(rest).toBeGreaterThanOrEqual(1_000 / allowed - 1e-3);
        expect(rest).toBeLessThanOrEqual(Math.max(500, 1_000 / allowed) + 1e-3);
      }),
    );
  });
});
