import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ExportBundleState } from "../../../../provider/definitions/exportBundle";
import { planned, unchanged } from "../../../support/decisions";
import { begin, origin, world } from "../../../support/fakePlatform";
import { throwingLifecycles } from "../../../support/throwingLifecycles";

const { exportBundle } = throwingLifecycles;

const minute = 60_000;
const inputs = { jobId: "job-1", version: "job-1" };
const iso = (time: number) => new Date(time).toISOString();
const end = begin + 60 * minute;

/** The state of a link that expires 60 minutes after the beginning of a test. */
const held: ExportBundleState = {
  ...inputs,
  bundleUrl: "https://files.example.com/one.tar.gz?sig=one",
  issuedAt: iso(begin),
  expiresAt: iso(end),
  __origin: origin,
};

async function renewedWith(told: { bundleUrl: string; expiresAt: number }) {
  const here = world();
  here.clock.pass(55 * minute);
  here.platform.links = [told];
  const state = await exportBundle.update("job-1", held, inputs, here.context);
  return { ...here, state };
}

it("a link of another address is a new link, whenever it ends: a run each minute renews it once, before its end", async () => {
  // `life` is a new link's life in minutes. `isAgain`: the platform returns the current link while that link is valid.
  const answers = fc.array(fc.record({ life: fc.integer({ min: 4, max: 40 }), isAgain: fc.boolean() }), {
    minLength: 1,
    maxLength: 5,
  });
  await fc.assert(
    fc.asyncProperty(answers, async (drawn) => {
      const { clock, platform, context } = world();
      let state = held;
      let sawEarlier = false;
      for (const [renewals, { life, isAgain }] of drawn.entries()) {
        while (planned("ExportBundle", state, inputs, clock.now()).action === "none") {
          clock.pass(minute);
        }
        const [platformTime, { bundleUrl, issuedAt }] = [clock.now(), state];
        const lives = platformTime < Date.parse(state.expiresAt);
        expect(lives).toBe(!sawEarlier);
        const isSame = isAgain && lives;
        sawEarlier ||= isSame;
        const fresh = { bundleUrl: `${held.bundleUrl}${renewals}`, expiresAt: platformTime + life * minute };
        const link = isSame ? { bundleUrl, expiresAt: Date.parse(state.expiresAt) } : fresh;
        platform.links = [{ ...link, platformTime }];
        state = await exportBundle.update("job-1", state, inputs, context);
        expect(platform.calls.length).toBe(renewals + 1);
        expect(state.issuedAt).toBe(isSame ? issuedAt : iso(platformTime));
      }
    }),
    { numRuns: 50, seed: 57 },
  );
});

describe("a platform that returns the link that it has until its end", () => {
  it("is asked once in the margin, warns once, and no later run shows an update before the end", async () => {
    const { platform, warnings, state } = await renewedWith({ bundleUrl: held.bundleUrl, expiresAt: end });
    expect(platform.calls).toEqual(["bundle job-1"]);
    expect(warnings).toEqual([expect.stringContaining(`creates a new one only after ${iso(end)}`)]);
    expect(state).toMatchObject({ issuedAt: held.issuedAt, expiresAt: held.expiresAt, __renewedAfterEnd: true });
    const at = (now: number) => planned("ExportBundle", { ...state }, inputs, now);
    expect(at(begin + 56 * minute)).toEqual(unchanged);
    expect(at(end - 1)).toEqual(unchanged);
    expect(at(end)).toMatchObject({ action: "update" });
  });

  it("is asked once after the end, for a link that is then renewed after its end as well", async () => {
    const { clock, platform, warnings, context, state } = await renewedWith({
      bundleUrl: held.bundleUrl,
      expiresAt: end,
    });
    clock.pass(6 * minute);
    platform.links = [{}];
    const renewed = await exportBundle.update("job-1", state, inputs, context);
    expect(platform.calls).toEqual(["bundle job-1", "bundle job-1"]);
    expect(renewed.bundleUrl).not.toBe(held.bundleUrl);
    expect(renewed).toMatchObject({ issuedAt: iso(begin + 61 * minute), __renewedAfterEnd: true });
    expect(warnings).toHaveLength(1);
  });
});
