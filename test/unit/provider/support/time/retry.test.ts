import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RunCancelledError } from "../../../../../provider/support/errors";
import { Deadline } from "../../../../../provider/support/time/deadline";
import { retry } from "../../../../../provider/support/time/retry";
import { never, rejection } from "../../../../support/clientUnderTest";
import { FakeClock } from "../../../../support/fakeClock";

const failing = async (retries: number) => {
  throw new Error(`attempt ${retries}`);
};

describe("retry", () => {
  it("is interrupted in a pause, and repeats nothing then", async () => {
    const clock = new FakeClock();
    const controller = new AbortController();
    clock.onSleep = () => controller.abort();
    const error = await rejection(retry(failing, { pauseAfter: () => 10, clock, signal: controller.signal }));
    expect(error).toBeInstanceOf(RunCancelledError);
    expect(clock.sleeps).toEqual([10]);
  });

  it("ends with the error of the last attempt, pauses as asked, and never past the deadline, whatever is asked", async () => {
    const rests = fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(rests, fc.nat(500), async (asked, limit) => {
        const clock = new FakeClock(0);
        const told: (number | undefined)[] = [];
        const rule = { pauseAfter: (_: unknown, retries: number) => asked[retries], clock, signal: never };
        const onFailure = (_: unknown, rest: number | undefined) => void told.push(rest);
        const error = await rejection(retry(failing, { ...rule, onFailure, deadline: Deadline.in(limit, clock) }));
        const fit = asked.findIndex((_, index) => asked.slice(0, index + 1).reduce((sum, rest) => sum + rest) >= limit);
        const slept = asked.slice(0, fit < 0 ? asked.length : fit);
        expect(clock.sleeps).toEqual(slept);
        expect(error.message).toBe(`attempt ${slept.length}`);
        expect(told).toEqual([...slept, undefined]);
      }),
      { seed: 43, numRuns: 200 },
    );
  });
});
