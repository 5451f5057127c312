import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JobAnswer } from "../../../../provider/polling/pollHistory";
import { type JobToPoll, pollJob } from "../../../../provider/polling/pollJob";
import {
  AuthenticationError,
  ConnectionError,
  DocsPlatformError,
  RateLimitError,
  RequestTimeoutError,
  RunCancelledError,
  ServerError,
  WaitTimeoutError,
} from "../../../../provider/support/errors";
import { Deadline } from "../../../../provider/support/time/deadline";
import { formatDuration } from "../../../../provider/support/time/duration";
import { FakeClock } from "../../../support/fakeClock";

const begin = 1_000_000;
const hour = 3_600_000;

type Poll = (elapsed: number, count: number) => JobAnswer | Error;

interface Given extends Partial<Pick<JobToPoll<JobAnswer, JobAnswer>, "age" | "prior" | "ask" | "judge">> {
  pollTakes?: number;
  clock?: FakeClock;
  signal?: AbortSignal;
  maxRetries?: number;
  waitsOutLimits?: boolean;
  random?: () => number;
}

/** Follows a job. Each answer depends on the time since the beginning of the wait. */
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
        const answer = poll(elapsed, polls.length);
        if (answer instanceof Error) {
          throw answer;
        }
        return answer;
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
  return {
    ...{ problem, seen, polls, count: polls.length, late, statuses, sleeps: clock.sleeps },
    value: problem === undefined ? state.status : undefined,
    ended: clock.now() - begin,
  };
}

const running = (progress?: number): JobAnswer => ({ status: "running", progress });
const done: JobAnswer = { status: "value" };

const facts = { happened: "no", remedy: "mend it." };
const fault = new ConnectionError(facts);
const down = new ServerError(facts);
const transient = [fault, new RequestTimeoutError(facts), down, new RateLimitError(facts)];
const cut = new RequestTimeoutError({ happened: "late", remedy: "wait." });
const asksFor = (retryAfter: number) => new RateLimitError({ ...facts, retryAfter });

/** Gives these answers in order, and then repeats the last one. */
const inOrder =
  (...answers: [JobAnswer | Error, ...(JobAnswer | Error)[]]): Poll =>
  (_, count) =>
    answers[count - 1] ?? answers.at(-1) ?? done;

const timeIsUp = { value: undefined, problem: expect.any(WaitTimeoutError) };
const ended = { value: "value", problem: undefined };

/** Interrupts a wait in its third rest. */
function interrupted(): Given {
  const [controller, clock] = [new AbortController(), new FakeClock(begin)];
  clock.onSleep = () => clock.sleeps.length === 3 && controller.abort();
  return { clock, signal: controller.signal };
}

const within = (longest: number): Given => ({
  judge: (_, answer) => ({
    is: answer === done ? "done" : "goingOn",
    state: answer as JobAnswer,
    within: longest,
  }),
});
const asking = (retryAfter: number) =>
  inOrder(...([1, 2, 3].map(() => ({ ...running(), retryAfter })) as [JobAnswer]), done);
const mixed = inOrder(fault, asksFor(1_000), fault, asksFor(1_000), asksFor(1_000), fault, done);

/** `limit` is the time limit of the wait. Default: one hour. */
type Row = [rule: string, wait: Given & { poll: Poll; limit?: number }, result: object];

const rules: Record<string, Row[]> = {
  "a wait": [
    [
      "polls once more where the deadline cuts a poll short, and counts no answer for that poll",
      { poll: inOrder(cut, running()), limit: 400, pollTakes: 500 },
      { ...timeIsUp, polls: [0, 500], seen: { answers: new Map([['"running"', 1]]) } },
    ],
    [
      "ends with a poll that is late for another cause",
      { poll: inOrder(cut), limit: 60_000 },
      { problem: cut, polls: [0] },
    ],
    [
      "repeats a late poll that fails, since the network of a machine that has slept may come back late",
      { poll: inOrder(running(), fault, fault, done), limit: 600, maxRetries: 2 },
      { ...ended, polls: [0, 600, 2_600, 6_600] },
    ],
    [
      "repeats it no more often than maxRetries says",
      { poll: inOrder(running(), fault), limit: 600, maxRetries: 1 },
      { problem: fault, count: 3 },
    ],
    [
      "ends with RunCancelledError before a poll, where the signal has aborted already",
      { poll: inOrder(done), limit: 1_000, signal: AbortSignal.abort() },
      { problem: expect.any(RunCancelledError), polls: [] },
    ],
    [
      "ends with RunCancelledError in the middle of a rest",
      { poll: inOrder(running()), ...interrupted() },
      { problem: expect.any(RunCancelledError), count: 3 },
    ],
    ...([40_000, -40_000, Number.NaN] as const).map(
      (age): Row => [
        `counts from when the awaited thing began, as far as that is in the past (${age} ms ago)`,
        { poll: inOrder(running(), done), limit: 60_000, age },
        { statuses: [age === 40_000 ? "running, 40s elapsed" : "running, 1s elapsed"] },
      ],
    ),
    [
      "rests at most as long as a verdict says",
      { poll: inOrder(running(), done), ...within(1_500) },
      { sleeps: [1_500] },
    ],
    [
      "rests no longer because of a verdict",
      { poll: inOrder(running(), done), ...within(60_000) },
      { sleeps: [3_000] },
    ],
    ["polls no sooner than the last answer asks", { poll: asking(20_000) }, { sleeps: [20_000, 20_000, 20_000] }],
    ["polls later than it asks where the pacing says so", { poll: asking(1_000) }, { sleeps: [3_000, 3_000, 3_000] }],
    [
      "has its last poll however long the platform asks it to rest",
      { poll: inOrder({ ...running(), retryAfter: hour }), limit: 60_000 },
      { ...timeIsUp, polls: [0, 60_000] },
    ],
  ],
  "a poll that fails by a transient fault": [
    ...transient.map(
      (error): Row => [
        `is repeated, and the status shows it: ${error.name}`,
        { poll: inOrder(error, error, done), maxRetries: 4 },
        { ...ended, statuses: Array(2).fill(expect.stringMatching(/^no answer, retrying, not seen, /)) },
      ],
    ),
    ...[0, 1, 4].map(
      (maxRetries): Row => [
        `ends the wait when it has failed once more than maxRetries (${maxRetries}), in a row`,
        { poll: inOrder(fault), maxRetries },
        { problem: fault, count: 1 + maxRetries },
      ],
    ),
    [
      "is not counted any more after an answer",
      { poll: inOrder(fault, running(), fault, running(), fault, done), maxRetries: 1 },
      ended,
    ],
    [
      "is repeated after rests that double, up to two minutes, however long the pacing would rest",
      { poll: inOrder(fault), limit: 9 * hour, maxRetries: 9 },
      { sleeps: [2, 4, 8, 16, 32, 64, 120, 120, 120].map((seconds) => seconds * 1_000) },
    ],
    [
      "is not counted, and not rested for longer than told, if it is a limit that the wait sits out",
      { poll: mixed, maxRetries: 3, waitsOutLimits: true },
      { ...ended, sleeps: [2_000, 1_000, 4_000, 1_000, 1_000, 8_000] },
    ],
    [
      "ends the wait once the other faults are more than maxRetries",
      { poll: mixed, maxRetries: 2, waitsOutLimits: true },
      { problem: fault },
    ],
    [
      "is repeated no sooner than the platform asks, also where that is longer than any rest",
      { poll: inOrder(asksFor(300_000), done), maxRetries: 1 },
      { polls: [0, 300_000] },
    ],
    [
      "ends the wait at once where the platform asks for a rest beyond the deadline",
      { poll: inOrder(asksFor(60_100)), limit: 60_000, maxRetries: 4 },
      { problem: asksFor(60_100), sleeps: [] },
    ],
    [
      "ends the wait at once if it is any other failure",
      { poll: inOrder(new AuthenticationError(facts)), limit: 60_000, maxRetries: 4 },
      { problem: new AuthenticationError(facts), sleeps: [] },
    ],
  ],
};

describe.each(Object.entries(rules))("%s", (_, rows) => {
  it.each(rows)("%s", async (_, { poll, limit = hour, ...given }, result) => {
    expect(await waitFor(poll, limit, given)).toMatchObject(result);
  });
});

describe("a wait", () => {
  it.each([0, 600, 1_000, 1_700, 10_000, 60_000, 1_800_000])(
    "gives up at a deadline of %d ms, after one last poll at this time",
    async (limit) => {
      const { polls, ended, ...result } = await waitFor(inOrder(running()), limit);
      expect(result).toMatchObject({ ...timeIsUp, late: 1 });
      expect(polls.at(-1)).toBeCloseTo(limit, 3);
      expect(ended).toBeCloseTo(limit, 3);
    },
  );

  it("never polls twice within 250 ms before the deadline, nor rests for more than two minutes, nor goes past the deadline", async () => {
    const shapes = fc.array(fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }), {
      minLength: 1,
    });
    const limits = fc.integer({ min: 0, max: hour });
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

  it("accepts a count of pages for progress where the last time had a count, and shows the platform's progress only", async () => {
    const duration = 100_000;
    const pages = (elapsed: number): JobAnswer =>
      elapsed >= duration ? done : { ...running(), pageCount: Math.floor((elapsed / duration) * 400) };
    const counted = await waitFor(pages, 600_000, { prior: { duration, pages: 400 } });
    expect(counted.statuses.at(-1)).toMatch(/^[1-9]\d*s left, running, /);
    expect(counted.statuses.filter((text) => text.includes("%"))).toEqual([]);
    const uncounted = await waitFor(pages, 600_000, { prior: { duration } });
    expect(uncounted.statuses.at(-1)).toMatch(/^running, /);
    expect(counted.ended - duration).toBeLessThan(1_000);
  });

  it("follows a job by its speed from when it moves, as if it had shown 0 before", async () => {
    const shown = (inQueue: number | undefined) => (elapsed: number) =>
      elapsed >= 60_000 ? done : running(elapsed < 20_000 ? inQueue : Math.floor((elapsed - 20_000) / 400) / 100);
    const [absent, zero] = [await waitFor(shown(undefined), 600_000), await waitFor(shown(0), 600_000)];
    expect(absent.polls).toEqual(zero.polls);
    expect(absent.ended - 60_000).toBeLessThan(1_000);
  });
});

describe("what a wait has seen", () => {
  it("is how often each answer came, also of one that failed, and the error of a time-out shows it", async () => {
    const poll = inOrder({ status: "queued" }, down, running(), down, running(0.5), running());
    const { problem, seen, count } = await waitFor(poll, 120_000, { maxRetries: 4 });
    expect([...seen.answers]).toEqual([
      ['"queued"', 1],
      ["DOCS_SERVER", 2],
      ['"running"', count - 3],
    ]);
    expect(problem?.happened).toBe(
      `the job was still "running" when waitTimeout (a while) ended, after ${count} answers: ${count - 3} "running", 2 DOCS_SERVER, 1 "queued"`,
    );
  });

  it("is reported in a few words, however many statuses there are", async () => {
    const { problem, count } = await waitFor((_, count) => ({ status: `page ${count}` }), 600_000);
    const told = `after ${count} answers: 1 "page 1", 1 "page 2", 1 "page 3", 1 "page 4", ${count - 4} others`;
    expect(problem?.happened.endsWith(told)).toBe(true);
  });

  it("is the last known progress at each answer that is no failure", async () => {
    const poll = inOrder(running(0.2), down, running(), running(0.5), done);
    const { seen } = await waitFor(poll, 600_000, { maxRetries: 4 });
    expect(seen.observations.map(({ progress }) => progress)).toEqual([0.2, 0.2, 0.5, 0.5]);
  });

  it("is when the job began, by the clock of this machine, as the last answer shows it that has its begin", async () => {
    const told = { ...running(), startedAt: 5_000, platformTime: 65_000 };
    const { seen, polls } = await waitFor(inOrder(running(), told, running(), done), 600_000);
    expect(seen.beganAt).toBe(begin + (polls[1] ?? 0) - 60_000);
  });
});
