import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type PollResult, type Wait, type WaitStatus, waitUntilDone } from "../../../../provider/polling/waiter";
import {
  AuthenticationError,
  ConnectionError,
  InterruptedError,
  RateLimitError,
  ServerError,
  TimeoutError,
} from "../../../../provider/support/errors";
import { Deadline } from "../../../../provider/support/time/deadline";
import { FakeClock } from "../../../support/fakeClock";

const begin = 1_000_000;

/** Waits with a poll that gets the time since the begin. Also returns the times of all polls. */
async function waitFor(
  poll: (elapsed: number, count: number) => PollResult<string>,
  limit: number,
  { pollTakes = 0, ...rest }: Partial<Wait<string>> & { pollTakes?: number } = {},
) {
  const clock = new FakeClock(begin);
  const polls: number[] = [];
  const statuses: WaitStatus[] = [];
  let late = 0;
  const value = await waitUntilDone<string>({
    poll: async (isLate) => {
      const elapsed = clock.now() - begin;
      polls.push(elapsed);
      late += isLate ? 1 : 0;
      clock.pass(pollTakes);
      return poll(elapsed, polls.length);
    },
    deadline: Deadline.in(limit, clock),
    signal: new AbortController().signal,
    clock,
    onStatus: (status) => statuses.push(status),
    maxFailedPolls: () => 0,
    random: () => 0.5,
    ...rest,
  });
  return { value, polls, late, statuses, sleeps: clock.sleeps, ended: clock.now() - begin };
}

const running = (progress?: number): PollResult<string> => ({ done: false, progress });
const done: PollResult<string> = { done: true, value: "value" };

const facts = { happened: "no", remedy: "mend it." };
const transient = [
  new ConnectionError(facts),
  new TimeoutError(facts),
  new ServerError(facts),
  new RateLimitError(facts),
];

/** These polls fail. The one after the last of them sees the end. */
function failing(failures: readonly (Error | undefined)[]) {
  return (_: number, poll: number): PollResult<string> => {
    const failure = failures[poll - 1];
    if (failure) {
      throw failure;
    }
    return poll > failures.length ? done : running();
  };
}

describe("waitUntilDone", () => {
  it.each([0, 600, 1_000, 1_700, 10_000, 60_000, 1_800_000])(
    "gives up at a deadline of %d ms, after one last poll at this time",
    async (limit) => {
      const { value, polls, late, ended } = await waitFor(() => running(), limit);
      expect({ value, late }).toEqual({ value: undefined, late: 1 });
      expect(polls.at(-1)).toBeCloseTo(limit, 3);
      expect(ended).toBeCloseTo(limit, 3);
    },
  );

  it("polls once more where the deadline cuts a poll short, as far as that is the cause", async () => {
    const cut = new TimeoutError({ happened: "late", remedy: "wait." });
    const poll = (elapsed: number) => {
      if (elapsed === 0) {
        throw cut;
      }
      return running();
    };
    expect(await waitFor(poll, 400, { pollTakes: 500 })).toMatchObject({ value: undefined, polls: [0, 500] });
    await expect(waitFor(poll, 60_000)).rejects.toBe(cut);
  });

  it("repeats a late poll that fails, since the network of a machine that has slept may come back late", async () => {
    const polled = await waitFor(failing([undefined, transient[0], transient[0]]), 600, { maxFailedPolls: () => 2 });
    expect(polled).toMatchObject({ value: "value", polls: [0, 600, 2_600, 6_600] });
    const waiting = waitFor(failing([undefined, transient[0], transient[0]]), 600, { maxFailedPolls: () => 1 });
    await expect(waiting).rejects.toBe(transient[0]);
  });

  it("never polls twice within 250 ms before the deadline, nor rests for more than two minutes, nor goes past the deadline", async () => {
    const shapes = fc.array(fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }), {
      minLength: 1,
    });
    const limits = fc.integer({ min: 0, max: 3_600_000 });
    await fc.assert(
      fc.asyncProperty(shapes, limits, fc.integer({ min: 0, max: 3_000 }), async (shape, limit, pollTakes) => {
        const poll = (_: number, count: number) => running(shape[count % shape.length]);
        const { polls, sleeps, value } = await waitFor(poll, limit, { pollTakes, random: Math.random });
        expect(value).toBeUndefined();
        expect(sleeps.slice(0, -1).every((ms) => ms >= 250 && ms <= 120_000 + 250)).toBe(true);
        expect(polls.slice(0, -1).every((time) => time < limit)).toBe(true);
      }),
      { numRuns: 200, seed: 6 },
    );
  });

  it("ends with InterruptedError before a poll, where the signal has aborted already", async () => {
    let polls = 0;
    const poll = async () => {
      polls++;
      return done;
    };
    await expect(waitFor(() => done, 1_000, { signal: AbortSignal.abort(), poll })).rejects.toBeInstanceOf(
      InterruptedError,
    );
    expect(polls).toBe(0);
  });

  it("ends with InterruptedError in the middle of a rest", async () => {
    const controller = new AbortController();
    const clock = new FakeClock(begin);
    clock.onSleep = () => {
      if (clock.sleeps.length === 3) {
        controller.abort();
      }
    };
    let polls = 0;
    const poll = async () => {
      polls++;
      return running();
    };
    const deadline = Deadline.in(3_600_000, clock);
    const waiting = waitFor(() => done, 0, { clock, signal: controller.signal, poll, deadline });
    await expect(waiting).rejects.toBeInstanceOf(InterruptedError);
    expect(polls).toBe(3);
  });

  it("tells how it stands after each poll but the last, with the rest that the speed predicts", async () => {
    const { statuses, polls } = await waitFor(
      (elapsed) => (elapsed >= 20_000 ? done : running(elapsed / 20_000)),
      60_000,
    );
    expect(statuses).toHaveLength(polls.length - 1);
    expect(statuses[0]).toEqual({ elapsed: 0, progress: 0, remaining: undefined, failing: false });
    for (const { elapsed, remaining } of statuses.slice(2)) {
      expect(remaining).toBeCloseTo(20_000 - elapsed, 3);
    }
  });

  it("counts from when the awaited thing began, as far as that is in the past", async () => {
    const first = async (age: number) => (await waitFor(() => running(), 60_000, { age })).statuses[0]?.elapsed;
    expect(await first(40_000)).toBe(40_000);
    expect(await first(-40_000)).toBe(0);
    expect(await first(Number.NaN)).toBe(0);
  });

  it("takes a count of pages for progress where the last time had a count, and shows the platform's progress only", async () => {
    const duration = 100_000;
    const pages = (elapsed: number): PollResult<string> =>
      elapsed >= duration ? done : { done: false, pages: Math.floor((elapsed / duration) * 400) };
    const prior = { duration, pages: 400 };
    const counted = await waitFor(pages, 600_000, { prior });
    expect(counted.statuses.at(-1)?.remaining).toBeGreaterThan(0);
    expect(counted.statuses.every(({ progress }) => progress === undefined)).toBe(true);
    const uncounted = await waitFor(pages, 600_000, { prior: { duration } });
    expect(uncounted.statuses.at(-1)?.remaining).toBeUndefined();
    expect(counted.ended - duration).toBeLessThan(1_000);
  });
});

describe("a poll that names the time of the next one", () => {
  it("is followed no sooner, and later where the pacing says so", async () => {
    const named = (retryAfter: number) => (_: number, count: number) =>
      count > 3 ? done : { ...running(), done: false as const, retryAfter };
    expect((await waitFor(named(20_000), 600_000)).sleeps).toEqual([20_000, 20_000, 20_000]);
    expect((await waitFor(named(1_000), 600_000)).sleeps).toEqual([3_000, 3_000, 3_000]);
  });

  it("does not take the last poll from a wait, however long the time", async () => {
    const { value, polls } = await waitFor(() => ({ done: false, retryAfter: 3_600_000 }), 60_000);
    expect({ value, polls }).toEqual({ value: undefined, polls: [0, 60_000] });
  });
});

describe("a job that shows no progress while it waits", () => {
  it("is followed by its speed from when it moves, as if it had shown 0", async () => {
    const shown = (inQueue: number | undefined) => (elapsed: number) =>
      elapsed >= 60_000 ? done : running(elapsed < 20_000 ? inQueue : Math.floor((elapsed - 20_000) / 400) / 100);
    const [absent, zero] = [await waitFor(shown(undefined), 600_000), await waitFor(shown(0), 600_000)];
    expect(absent.polls).toEqual(zero.polls);
    expect(absent.ended - 60_000).toBeLessThan(1_000);
  });
});

describe("a poll that fails by a transient fault", () => {
  it.each(transient)("is repeated: $name", async (error) => {
    const { value, polls, statuses } = await waitFor(failing([error, error]), 600_000, { maxFailedPolls: () => 4 });
    expect({ value, polls: polls.length }).toEqual({ value: "value", polls: 3 });
    expect(statuses.map((status) => status.failing)).toEqual([true, true]);
  });

  it("ends the wait when it has failed once more than maxFailedPolls, in a row", async () => {
    for (const most of [0, 1, 4]) {
      let polls = 0;
      const poll = async () => {
        polls++;
        throw transient[0];
      };
      await expect(waitFor(() => done, 3_600_000, { poll, maxFailedPolls: () => most })).rejects.toBe(transient[0]);
      expect(polls).toBe(1 + most);
    }
    const [error] = transient;
    const inTurn = failing([error, undefined, error, undefined, error]);
    expect(await waitFor(inTurn, 3_600_000, { maxFailedPolls: () => 1 })).toMatchObject({ value: "value" });
  });

  it("is repeated after rests that double, up to two minutes, however long the pacing would rest", async () => {
    const { sleeps } = await waitFor(failing(Array.from({ length: 9 }, () => transient[0])), 3_600_000, {
      maxFailedPolls: () => 9,
    });
    expect(sleeps.map((ms) => ms / 1_000)).toEqual([2, 4, 8, 16, 32, 64, 120, 120, 120]);
  });

  it("is not counted, and not rested for longer than told, if it is a limit that the wait sits out", async () => {
    const [fault] = transient;
    const limit = new RateLimitError({ ...facts, retryAfter: 1_000 });
    const polls = [fault, limit, fault, limit, limit, fault];
    const { value, sleeps } = await waitFor(failing(polls), 3_600_000, {
      maxFailedPolls: (failure) => (failure === limit ? Number.POSITIVE_INFINITY : 3),
    });
    expect({ value, sleeps: sleeps.map((ms) => ms / 1_000) }).toEqual({ value: "value", sleeps: [2, 1, 4, 1, 1, 8] });
    const two = { maxFailedPolls: (failure: Error) => (failure === limit ? Number.POSITIVE_INFINITY : 2) };
    await expect(waitFor(failing(polls), 3_600_000, two)).rejects.toBe(fault);
  });

  it("is repeated no sooner than the platform asks, also where that is longer than any rest", async () => {
    const asked = new RateLimitError({ ...facts, retryAfter: 300_000 });
    const { polls } = await waitFor(failing([asked]), 3_600_000, { maxFailedPolls: () => 1 });
    expect(polls).toEqual([0, 300_000]);
  });

  it("ends the wait at once where the platform asks for a rest beyond the deadline", async () => {
    const asked = new RateLimitError({ ...facts, retryAfter: 60_100 });
    const clock = new FakeClock(begin);
    const waiting = waitFor(failing([asked]), 0, {
      clock,
      deadline: Deadline.in(60_000, clock),
      maxFailedPolls: () => 4,
    });
    await expect(waiting).rejects.toBe(asked);
    expect(clock.sleeps).toEqual([]);
  });

  it("and any other failure ends it at once", async () => {
    const other = new AuthenticationError(facts);
    const clock = new FakeClock(begin);
    const waiting = waitFor(failing([other]), 0, {
      clock,
      deadline: Deadline.in(60_000, clock),
      maxFailedPolls: () => 4,
    });
    await expect(waiting).rejects.toBe(other);
    expect(clock.sleeps).toEqual([]);
  });
});
