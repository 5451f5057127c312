import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JobAnswer } from "../../../../provider/polling/pollHistory";
import { type FollowedJob, pollJob } from "../../../../provider/polling/pollJob";
import {
  AuthenticationError,
  ConnectionError,
  DocsPlatformError,
  InterruptedError,
  RateLimitError,
  ServerError,
  TimeoutError,
  WaitTimeoutError,
} from "../../../../provider/support/errors";
import { Deadline } from "../../../../provider/support/time/deadline";
import { formatDuration } from "../../../../provider/support/time/duration";
import { FakeClock } from "../../../support/fakeClock";

const begin = 1_000_000;

type Poll = (elapsed: number, count: number) => JobAnswer;

interface Given extends Partial<Pick<FollowedJob<JobAnswer, JobAnswer>, "age" | "prior" | "ask" | "judge">> {
  pollTakes?: number;
  clock?: FakeClock;
  signal?: AbortSignal;
  maxRetries?: number;
  waitsOutLimits?: boolean;
  random?: () => number;
}

/** Throws the problem that ends the wait. Only an exceeded time limit is returned. */
async function waitFor(poll: Poll, limit: number, given: Given = {}) {
  const { pollTakes = 0, clock = new FakeClock(begin), signal = new AbortController().signal } = given;
  const { maxRetries = 0, waitsOutLimits = false, random = () => 0.5, ...job } = given;
  const polls: number[] = [];
  const statuses: string[] = [];
  let late = 0;
  const { state, seen, problem } = await pollJob<JobAnswer, JobAnswer>(
    {
      name: "the job",
      initial: { status: "not seen" },
      isConfirmed: true,
      age: undefined,
      async ask({ deadline }) {
        const elapsed = clock.now() - begin;
        polls.push(elapsed);
        late += deadline === undefined ? 1 : 0;
        clock.pass(pollTakes);
        return poll(elapsed, polls.length);
      },
      judge: (state, answer) =>
        answer instanceof DocsPlatformError
          ? { is: "failed", state, problem: answer }
          : { is: answer === done ? "done" : "goingOn", state: answer },
      describe: ({ status }) => [status],
      ...job,
    },
    { name: "waitTimeout", time: "a while", deadline: Deadline.in(limit, clock) },
    { clock, signal, settings: () => ({ maxRetries, waitsOutLimits }), status: (text) => statuses.push(text) },
    random,
  );
  const isTimeUp = problem instanceof WaitTimeoutError;
  if (problem !== undefined && !isTimeUp) {
    throw problem;
  }
  const ended = clock.now() - begin;
  return {
    value: isTimeUp ? undefined : state.status,
    problem,
    seen,
    polls,
    late,
    statuses,
    sleeps: clock.sleeps,
    ended,
  };
}

const running = (progress?: number): JobAnswer => ({ status: "running", progress });
const done: JobAnswer = { status: "value" };

const facts = { happened: "no", remedy: "mend it." };
const transient = [
  new ConnectionError(facts),
  new TimeoutError(facts),
  new ServerError(facts),
  new RateLimitError(facts),
];

/** Makes polls that fail with these errors, in order. The poll after the last error sees the end of the job. */
function failing(failures: readonly (Error | undefined)[]) {
  return (_: number, poll: number): JobAnswer => {
    const failure = failures[poll - 1];
    if (failure) {
      throw failure;
    }
    return poll > failures.length ? done : running();
  };
}

describe("a wait", () => {
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
    const polled = await waitFor(failing([undefined, transient[0], transient[0]]), 600, { maxRetries: 2 });
    expect(polled).toMatchObject({ value: "value", polls: [0, 600, 2_600, 6_600] });
    const waiting = waitFor(failing([undefined, transient[0], transient[0]]), 600, { maxRetries: 1 });
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
    const poll = () => {
      polls++;
      return done;
    };
    await expect(waitFor(poll, 1_000, { signal: AbortSignal.abort() })).rejects.toBeInstanceOf(InterruptedError);
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
    const poll = () => {
      polls++;
      return running();
    };
    const waiting = waitFor(poll, 3_600_000, { clock, signal: controller.signal });
    await expect(waiting).rejects.toBeInstanceOf(InterruptedError);
    expect(polls).toBe(3);
  });

  it("tells how it stands after each poll but the last, with the pause that the speed predicts", async () => {
    const { statuses, polls } = await waitFor(
      (elapsed) => (elapsed >= 20_000 ? done : running(elapsed / 20_000)),
      60_000,
    );
    expect(statuses).toHaveLength(polls.length - 1);
    expect(statuses[0]).toBe("0 %, running, 1s elapsed");
    for (const [index, elapsed] of [...polls.entries()].slice(2, -1)) {
      const [percent, left] = [Math.floor(elapsed / 200), formatDuration(Math.max(1_000, 20_000 - elapsed))];
      expect(statuses[index]).toBe(`${percent} % ${left} left, running, ${formatDuration(elapsed)} elapsed`);
    }
  });

  it("counts from when the awaited thing began, as far as that is in the past", async () => {
    const first = async (age: number) => (await waitFor(() => running(), 60_000, { age })).statuses[0];
    expect(await first(40_000)).toBe("running, 40s elapsed");
    expect(await first(-40_000)).toBe("running, 1s elapsed");
    expect(await first(Number.NaN)).toBe("running, 1s elapsed");
  });

  it("accepts a count of pages for progress where the last time had a count, and shows the platform's progress only", async () => {
    const duration = 100_000;
    const pages = (elapsed: number): JobAnswer =>
      elapsed >= duration ? done : { ...running(), pageCount: Math.floor((elapsed / duration) * 400) };
    const prior = { duration, pages: 400 };
    const counted = await waitFor(pages, 600_000, { prior });
    expect(counted.statuses.at(-1)).toMatch(/^[1-9]\d*s left, running, /);
    expect(counted.statuses.filter((text) => text.includes("%"))).toEqual([]);
    const uncounted = await waitFor(pages, 600_000, { prior: { duration } });
    expect(uncounted.statuses.at(-1)).toMatch(/^running, /);
    expect(counted.ended - duration).toBeLessThan(1_000);
  });
});

describe("what a wait has seen", () => {
  const failure = transient[2];

  it("is how often each answer came, also of one that failed, and the error of a time-out shows it", async () => {
    const looks = [{ status: "queued" }, failure, running(), failure, running(0.5)];
    const { problem, seen, polls } = await waitFor(
      (_, count) => {
        const look = looks[count - 1] ?? running();
        if (look instanceof Error) {
          throw look;
        }
        return look;
      },
      120_000,
      { maxRetries: 4 },
    );
    const count = polls.length - 3;
    expect([...seen.answers]).toEqual([
      ['"queued"', 1],
      ["DOCS_SERVER", 2],
      ['"running"', count],
    ]);
    expect(problem?.happened).toBe(
      `the job was still "running" when waitTimeout (a while) ended, after ${polls.length} answers: ${count} "running", 2 DOCS_SERVER, 1 "queued"`,
    );
  });

  it("is reported in a few words, however many statuses there are", async () => {
    const { problem, polls } = await waitFor((_, count) => ({ status: `page ${count}` }), 600_000);
    const [first, ...more] = polls;
    expect(first).toBe(0);
    expect(problem?.happened).toMatch(
      new RegExp(
        `after ${polls.length} answers: 1 "page 1", 1 "page 2", 1 "page 3", 1 "page 4", ${more.length - 3} others$`,
      ),
    );
  });

  it("is the last known progress at each answer that is no failure", async () => {
    const looks = [running(0.2), failure, running(), running(0.5), done];
    const { seen } = await waitFor(
      (_, count) => {
        const look = looks[count - 1] ?? done;
        if (look instanceof Error) {
          throw look;
        }
        return look;
      },
      600_000,
      { maxRetries: 4 },
    );
    expect(seen.observations.map(({ progress }) => progress)).toEqual([0.2, 0.2, 0.5, 0.5]);
  });

  it("is when the job began, by the clock of this machine, as the last answer shows it that has its begin", async () => {
    const told = { startedAt: 5_000, platformTime: 65_000 };
    const looks = [running(), { ...running(), ...told }, running()];
    const { seen, polls } = await waitFor((_, count) => looks[count - 1] ?? done, 600_000);
    expect(seen.beganAt).toBe(begin + (polls[1] ?? 0) - 60_000);
  });

  it("contains no answer of a poll that the deadline cut short", async () => {
    const cut = new TimeoutError({ happened: "late", remedy: "wait." });
    const { seen } = await waitFor((_, count) => failing([cut, undefined])(_, count), 400, {
      pollTakes: 500,
    });
    expect([...seen.answers]).toEqual([['"running"', 1]]);
  });
});

it("a verdict shortens the rest after it, and never lengthens it", async () => {
  const within = (longest: number) => ({
    judge: (_: JobAnswer, answer: JobAnswer | DocsPlatformError) =>
      answer === done || answer instanceof DocsPlatformError
        ? { is: "done" as const, state: done }
        : { is: "goingOn" as const, state: answer, within: longest },
  });
  const poll = failing([undefined, undefined]);
  expect((await waitFor(poll, 600_000, within(1_500))).sleeps).toEqual([1_500, 1_500]);
  expect((await waitFor(poll, 600_000, within(60_000))).sleeps).toEqual([3_000, 3_000]);
});

describe("a poll that names the time of the next one", () => {
  it("is followed no sooner, and later where the pacing says so", async () => {
    const named = (retryAfter: number) => (_: number, count: number) =>
      count > 3 ? done : { ...running(), retryAfter };
    expect((await waitFor(named(20_000), 600_000)).sleeps).toEqual([20_000, 20_000, 20_000]);
    expect((await waitFor(named(1_000), 600_000)).sleeps).toEqual([3_000, 3_000, 3_000]);
  });

  it("does not take the last poll from a wait, however long the time", async () => {
    const { value, polls } = await waitFor(() => ({ ...running(), retryAfter: 3_600_000 }), 60_000);
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
    const { value, polls, statuses } = await waitFor(failing([error, error]), 600_000, { maxRetries: 4 });
    expect({ value, polls: polls.length }).toEqual({ value: "value", polls: 3 });
    expect(statuses).toEqual(Array(2).fill(expect.stringMatching(/^no answer, retrying, not seen, /)));
  });

  it("ends the wait when it has failed once more than maxRetries, in a row", async () => {
    for (const most of [0, 1, 4]) {
      let polls = 0;
      const poll = () => {
        polls++;
        throw transient[0];
      };
      await expect(waitFor(poll, 3_600_000, { maxRetries: most })).rejects.toBe(transient[0]);
      expect(polls).toBe(1 + most);
    }
    const [error] = transient;
    const inTurn = failing([error, undefined, error, undefined, error]);
    expect(await waitFor(inTurn, 3_600_000, { maxRetries: 1 })).toMatchObject({ value: "value" });
  });

  it("is repeated after rests that double, up to two minutes, however long the pacing would rest", async () => {
    const { sleeps } = await waitFor(failing(Array.from({ length: 9 }, () => transient[0])), 3_600_000, {
      maxRetries: 9,
    });
    expect(sleeps.map((ms) => ms / 1_000)).toEqual([2, 4, 8, 16, 32, 64, 120, 120, 120]);
  });

  it("is not counted, and not rested for longer than told, if it is a limit that the wait sits out", async () => {
    const [fault] = transient;
    const limit = new RateLimitError({ ...facts, retryAfter: 1_000 });
    const polls = [fault, limit, fault, limit, limit, fault];
    const { value, sleeps } = await waitFor(failing(polls), 3_600_000, {
      maxRetries: 3,
      waitsOutLimits: true,
    });
    expect({ value, sleeps: sleeps.map((ms) => ms / 1_000) }).toEqual({ value: "value", sleeps: [2, 1, 4, 1, 1, 8] });
    const two = { maxRetries: 2, waitsOutLimits: true };
    await expect(waitFor(failing(polls), 3_600_000, two)).rejects.toBe(fault);
  });

  it("is repeated no sooner than the platform asks, also where that is longer than any rest", async () => {
    const asked = new RateLimitError({ ...facts, retryAfter: 300_000 });
    const { polls } = await waitFor(failing([asked]), 3_600_000, { maxRetries: 1 });
    expect(polls).toEqual([0, 300_000]);
  });

  it("ends the wait at once where the platform asks for a rest beyond the deadline", async () => {
    const asked = new RateLimitError({ ...facts, retryAfter: 60_100 });
    const clock = new FakeClock(begin);
    const waiting = waitFor(failing([asked]), 60_000, { clock, maxRetries: 4 });
    await expect(waiting).rejects.toBe(asked);
    expect(clock.sleeps).toEqual([]);
  });

  it("any other failure ends the wait at once", async () => {
    const other = new AuthenticationError(facts);
    const clock = new FakeClock(begin);
    const waiting = waitFor(failing([other]), 60_000, { clock, maxRetries: 4 });
    await expect(waiting).rejects.toBe(other);
    expect(clock.sleeps).toEqual([]);
  });
});
