import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type PollResult, type Wait, type WaitStatus, waitUntilDone } from "../../../provider/polling/waiter";
import {
  AuthenticationError,
  ConnectionError,
  InterruptedError,
  RateLimitError,
  ServerError,
  TimeoutError,
} from "../../../provider/support/errors";
import { FakeClock } from "../../support/fakeClock";

const begin = 1_000_000;

/** Waits with a probe that is told the time since the begin; gives the times of all looks too. */
async function waitFor(
  probe: (elapsed: number, look: number) => PollResult<string>,
  limit: number,
  { lookTakes = 0, ...rest }: Partial<Wait<string>> & { lookTakes?: number } = {},
) {
  const clock = new FakeClock(begin);
  const looks: number[] = [];
  const statuses: WaitStatus[] = [];
  const value = await waitUntilDone<string>({
    probe: async () => {
      looks.push(clock.now() - begin);
      const result = probe(clock.now() - begin, looks.length);
      clock.pass(lookTakes);
      return result;
    },
    deadline: begin + limit,
    signal: new AbortController().signal,
    clock,
    onStatus: (status) => statuses.push(status),
    maxFailedPolls: () => 0,
    random: () => 0.5,
    ...rest,
  });
  return { value, looks, statuses, sleeps: clock.sleeps, ended: clock.now() - begin };
}

const running = (progress?: number): PollResult<string> => ({ done: false, progress });
const done: PollResult<string> = { done: true, value: "value" };

describe("waitUntilDone", () => {
  it("looks at once, and sleeps not at all where the thing is done", async () => {
    expect(await waitFor(() => done, 60_000)).toEqual({
      value: "value",
      looks: [0],
      statuses: [],
      sleeps: [],
      ended: 0,
    });
  });

  it("looks once even where the deadline has passed already", async () => {
    expect(await waitFor(() => running(), -1)).toMatchObject({ value: undefined, looks: [0], sleeps: [] });
    expect(await waitFor(() => done, 0)).toMatchObject({ value: "value", looks: [0] });
  });

  it.each([600, 1_000, 1_700, 10_000, 60_000, 1_800_000])(
    "gives up at a deadline of %d ms, after one last look just before it",
    async (limit) => {
      const { value, looks, ended } = await waitFor(() => running(), limit);
      expect(value).toBeUndefined();
      expect(looks.at(-1)).toBeLessThan(limit);
      expect(looks.at(-1)).toBeGreaterThanOrEqual(limit - 500);
      expect(ended).toBeLessThanOrEqual(limit);
    },
  );

  it("sees a job that ends in the last second before the deadline", async () => {
    const { value } = await waitFor((elapsed) => (elapsed >= 599_000 ? done : running(0.5)), 600_000);
    expect(value).toBe("value");
  });

  it("never looks twice within 500 ms, nor rests for more than two minutes, nor goes past the deadline", async () => {
    const shapes = fc.array(fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }), {
      minLength: 1,
    });
    const limits = fc.integer({ min: 0, max: 3_600_000 });
    await fc.assert(
      fc.asyncProperty(shapes, limits, fc.integer({ min: 0, max: 3_000 }), async (shape, limit, lookTakes) => {
        const probe = (_: number, look: number) => running(shape[look % shape.length]);
        const { looks, sleeps, value } = await waitFor(probe, limit, { lookTakes, random: Math.random });
        expect(value).toBeUndefined();
        expect(sleeps.every((ms) => ms >= 500 && ms <= 120_000 + 500)).toBe(true);
        expect(looks.slice(1).every((time) => time < limit)).toBe(true);
      }),
      { numRuns: 200, seed: 6 },
    );
  });

  it("ends with InterruptedError before a look, where the signal has aborted already", async () => {
    let looks = 0;
    const probe = async () => {
      looks++;
      return done;
    };
    await expect(waitFor(() => done, 1_000, { signal: AbortSignal.abort(), probe })).rejects.toBeInstanceOf(
      InterruptedError,
    );
    expect(looks).toBe(0);
  });

  it("ends with InterruptedError in the middle of a rest", async () => {
    const controller = new AbortController();
    const clock = new FakeClock(begin);
    clock.onSleep = () => {
      if (clock.sleeps.length === 3) {
        controller.abort();
      }
    };
    let looks = 0;
    const probe = async () => {
      looks++;
      return running();
    };
    const deadline = begin + 3_600_000;
    const waiting = waitFor(() => done, 0, { clock, signal: controller.signal, probe, deadline });
    await expect(waiting).rejects.toBeInstanceOf(InterruptedError);
    expect(looks).toBe(3);
  });

  it("passes on what the probe throws", async () => {
    const thrown = new Error("no");
    const probe = () => {
      throw thrown;
    };
    await expect(waitFor(probe, 60_000)).rejects.toBe(thrown);
  });

  it("tells how it stands after each look but the last, with the rest that the speed foretells", async () => {
    const { statuses, looks } = await waitFor(
      (elapsed) => (elapsed >= 20_000 ? done : running(elapsed / 20_000)),
      60_000,
    );
    expect(statuses).toHaveLength(looks.length - 1);
    expect(statuses[0]).toEqual({ elapsed: 0, progress: 0, expectedRest: undefined, failing: false });
    for (const { elapsed, expectedRest } of statuses.slice(2)) {
      expect(expectedRest).toBeCloseTo(20_000 - elapsed, 3);
    }
  });

  it("counts from when the awaited thing began, as far as that is in the past", async () => {
    const first = async (since: number) => (await waitFor(() => running(), 60_000, { since })).statuses[0]?.elapsed;
    expect(await first(begin - 40_000)).toBe(40_000);
    expect(await first(begin + 40_000)).toBe(0);
    expect(await first(Number.NaN)).toBe(0);
  });

  it("looks again as soon as the probe wants", async () => {
    const { looks } = await waitFor((_, look) => (look < 4 ? { done: false, pollWithin: 700 } : done), 60_000);
    expect(looks).toEqual([0, 700, 1_400, 2_100]);
  });

  it("takes a count of pages for progress where the last time had a count, and shows the platform's progress only", async () => {
    const duration = 100_000;
    const pages = (elapsed: number): PollResult<string> =>
      elapsed >= duration ? done : { done: false, pages: Math.floor((elapsed / duration) * 400) };
    const prior = { duration, pages: 400 };
    const counted = await waitFor(pages, 600_000, { prior });
    expect(counted.statuses.at(-1)?.expectedRest).toBeGreaterThan(0);
    expect(counted.statuses.every(({ progress }) => progress === undefined)).toBe(true);
    const uncounted = await waitFor(pages, 600_000, { prior: { duration } });
    expect(uncounted.statuses.at(-1)?.expectedRest).toBeUndefined();
    expect(counted.ended - duration).toBeLessThan(1_000);
  });
});

const facts = { happened: "no", remedy: "mend it." };
const passing = [
  new ConnectionError(facts),
  new TimeoutError(facts),
  new ServerError(facts),
  new RateLimitError(facts),
];

describe("a look that fails with what passes by itself", () => {
  /** Fails at these looks; the one after the last of them sees the end. */
  function failing(failures: readonly (Error | undefined)[]) {
    return (_: number, look: number): PollResult<string> => {
      const failure = failures[look - 1];
      if (failure) {
        throw failure;
      }
      return look > failures.length ? done : running();
    };
  }

  it.each(passing)("is made again: $name", async (error) => {
    const { value, looks, statuses } = await waitFor(failing([error, error]), 600_000, { maxFailedPolls: () => 4 });
    expect({ value, looks: looks.length }).toEqual({ value: "value", looks: 3 });
    expect(statuses.map((status) => status.failing)).toEqual([true, true]);
  });

  it("ends the wait when it has failed once more than maxFailedPolls, in a row", async () => {
    for (const most of [0, 1, 4]) {
      let looks = 0;
      const probe = async () => {
        looks++;
        throw passing[0];
      };
      await expect(waitFor(() => done, 3_600_000, { probe, maxFailedPolls: () => most })).rejects.toBe(passing[0]);
      expect(looks).toBe(1 + most);
    }
    const [error] = passing;
    const inTurn = failing([error, undefined, error, undefined, error]);
    expect(await waitFor(inTurn, 3_600_000, { maxFailedPolls: () => 1 })).toMatchObject({ value: "value" });
  });

  it("is made again after rests that double, up to two minutes, however long the pacing would rest", async () => {
    const { sleeps } = await waitFor(failing(Array.from({ length: 9 }, () => passing[0])), 3_600_000, {
      maxFailedPolls: () => 9,
    });
    expect(sleeps.map((ms) => ms / 1_000)).toEqual([2, 4, 8, 16, 32, 64, 120, 120, 120]);
  });

  it("is made again no sooner than the platform asks, also where that is longer than any rest", async () => {
    const asked = new RateLimitError({ ...facts, retryAfter: 300_000 });
    const { looks } = await waitFor(failing([asked]), 3_600_000, { maxFailedPolls: () => 1 });
    expect(looks).toEqual([0, 300_000]);
  });

  it("ends the wait at once where the platform asks for a rest beyond the deadline", async () => {
    const asked = new RateLimitError({ ...facts, retryAfter: 59_900 });
    const clock = new FakeClock(begin);
    const waiting = waitFor(failing([asked]), 0, { clock, deadline: begin + 60_000, maxFailedPolls: () => 4 });
    await expect(waiting).rejects.toBe(asked);
    expect(clock.sleeps).toEqual([]);
  });

  it("ends the wait where it is the last one before the deadline", async () => {
    const probe = () => {
      throw passing[2];
    };
    await expect(waitFor(probe, 10_000, { maxFailedPolls: () => 100 })).rejects.toBe(passing[2]);
  });

  it("and any other failure ends it at once", async () => {
    const other = new AuthenticationError(facts);
    const clock = new FakeClock(begin);
    const waiting = waitFor(failing([other]), 0, { clock, deadline: begin + 60_000, maxFailedPolls: () => 4 });
    await expect(waiting).rejects.toBe(other);
    expect(clock.sleeps).toEqual([]);
  });
});
