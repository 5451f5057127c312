import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InterruptedError } from "../../../provider/support/errors";
import { type Standing, type Verdict, type Wait, waitUntilDone } from "../../../provider/waiting/waiter";
import { FakeClock } from "../../support/fakeClock";

const begin = 1_000_000;

/** Waits with a probe that is told the time since the begin; gives the times of all looks too. */
async function waitFor(
  probe: (elapsed: number, look: number) => Verdict<string>,
  limit: number,
  { lookTakes = 0, ...rest }: Partial<Wait<string>> & { lookTakes?: number } = {},
) {
  const clock = new FakeClock(begin);
  const looks: number[] = [];
  const standings: Standing[] = [];
  const value = await waitUntilDone<string>({
    probe: async () => {
      looks.push(clock.now() - begin);
      const verdict = probe(clock.now() - begin, looks.length);
      clock.pass(lookTakes);
      return verdict;
    },
    deadline: begin + limit,
    signal: new AbortController().signal,
    clock,
    onStanding: (standing) => standings.push(standing),
    ...rest,
  });
  return { value, looks, standings, sleeps: clock.sleeps, ended: clock.now() - begin };
}

const running = (progress?: number): Verdict<string> => ({ done: false, progress });
const done: Verdict<string> = { done: true, value: "value" };

describe("waitUntilDone", () => {
  it("looks at once, and sleeps not at all where the thing is done", async () => {
    expect(await waitFor(() => done, 60_000)).toEqual({
      value: "value",
      looks: [0],
      standings: [],
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

  it("never looks twice within 500 ms, nor rests for more than 30 s, nor goes past the deadline", async () => {
    const shapes = fc.array(fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }), {
      minLength: 1,
    });
    const limits = fc.integer({ min: 0, max: 3_600_000 });
    await fc.assert(
      fc.asyncProperty(shapes, limits, fc.integer({ min: 0, max: 3_000 }), async (shape, limit, lookTakes) => {
        const probe = (_: number, look: number) => running(shape[look % shape.length]);
        const { looks, sleeps, value } = await waitFor(probe, limit, { lookTakes });
        expect(value).toBeUndefined();
        expect(sleeps.every((ms) => ms >= 500 && ms <= 30_000 + 500)).toBe(true);
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
    const waiting = waitFor(() => done, 60_000, { clock, signal: controller.signal, probe, deadline: begin + 60_000 });
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

  it("tells how it stands after each look but the last, with the rest that the pace foretells", async () => {
    const { standings, looks } = await waitFor(
      (elapsed) => (elapsed >= 20_000 ? done : running(elapsed / 20_000)),
      60_000,
    );
    expect(standings).toHaveLength(looks.length - 1);
    expect(standings[0]).toEqual({ elapsed: 0, progress: 0, expectedRest: undefined });
    for (const { elapsed, expectedRest } of standings.slice(1)) {
      expect(expectedRest).toBeCloseTo(20_000 - elapsed, 3);
    }
  });
});
