import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ExportBundleState } from "../../../../provider/definitions/exportBundle";
import { parseDuration } from "../../../../provider/support/time/duration";
import { planned } from "../../../support/decisions";
import { FakeClock } from "../../../support/fakeClock";
import { world } from "../../../support/fakePlatform";
import { throwingLifecycles } from "../../../support/throwingLifecycles";

const { exportBundle } = throwingLifecycles;

const minute = 60_000;
const hour = 60 * minute;
const begin = Date.parse("2026-03-01T00:00:00.000Z");

/** A machine whose clock always has the same error. */
class Machine {
  readonly clock: FakeClock;
  readonly #world = world();

  constructor(readonly error: number) {
    this.clock = new FakeClock(begin + error);
  }

  async run(state: ExportBundleState | undefined, life: number, renewBefore: string) {
    const platformTime = this.clock.now() - this.error;
    const inputs = { jobId: "job-1", version: "job-1", renewBefore };
    const bundleUrl = `https://files.example.com/one.tar.gz?sig=${platformTime}`;
    this.#world.platform.links = [
      { bundleUrl, platformTime, expiresAt: platformTime + life, clockOffset: -this.error },
    ];
    const context = { ...this.#world.context, clock: this.clock };
    if (state === undefined) {
      return (await exportBundle.create(inputs, context)).state;
    }
    if (planned("ExportBundle", state, inputs, this.clock.now()).action === "none") {
      return state;
    }
    return exportBundle.update("job-1", state, inputs, context);
  }
}

const stories = fc.record({
  errors: fc.tuple(...[0, 1].map(() => fc.integer({ min: -3 * 60, max: 3 * 60 }).map((minutes) => minutes * minute))),
  life: fc.integer({ min: 20, max: 12 * 60 }).map((minutes) => minutes * minute),
  renewBefore: fc.constantFrom("0", "10m", "1h"),
  turns: fc.array(fc.record({ first: fc.boolean(), rest: fc.integer({ min: 1, max: 8 * hour }) }), {
    minLength: 1,
    maxLength: 12,
  }),
});

describe("two machines, each with a clock that is wrong by a constant", () => {
  it("leave no dead link behind, but where one is behind the last that minted by more than the margin", async () => {
    let [early, renewals] = [0, 0];
    await fc.assert(
      fc.asyncProperty(stories, async ({ errors, life, renewBefore, turns }) => {
        const machines = [new Machine(errors[0] ?? 0), new Machine(errors[1] ?? 0)] as const;
        const margin = Math.min(parseDuration(renewBefore) ?? 0, life / 2);
        let state = await machines[0].run(undefined, life, renewBefore);
        let measured = machines[0];
        for (const { first, rest } of turns) {
          for (const { clock } of machines) {
            clock.pass(rest);
          }
          const machine = machines[first ? 0 : 1];
          const platformTime = machine.clock.now() - machine.error;
          const before = state;
          const ahead = machine.error - measured.error;
          state = await machine.run(before, life, renewBefore);
          if (ahead >= -margin) {
            expect(Date.parse(state.expiresAt)).toBeGreaterThan(platformTime);
          }
          if (state !== before) {
            renewals += 1;
            const isEarly = platformTime < Date.parse(before.expiresAt) - margin;
            // A renewal may be early only if the two machines that create and renew the link have different clocks.
            expect(isEarly && ahead === 0).toBe(false);
            early += isEarly ? 1 : 0;
            measured = machine;
          }
        }
      }),
      { numRuns: 2_000, seed: 6 },
    );
    // Many early renewals and many renewals of due links must occur. Otherwise the checks above test too little.
    expect(early).toBeGreaterThan(100);
    expect(renewals - early).toBeGreaterThan(1_000);
  });
});
