import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { estimateRest, nextRest } from "../../../provider/waiting/pacing";

describe("estimateRest", () => {
  it.each([
    ["nothing was seen", []],
    ["progress was seen once", [{ elapsed: 0, progress: 0.5 }]],
    ["progress stands still", [0, 1, 2].map((elapsed) => ({ elapsed, progress: 0.5 }))],
    [
      "progress goes back",
      [
        { elapsed: 0, progress: 0.5 },
        { elapsed: 9, progress: 0.1 },
      ],
    ],
    [
      "no time passed",
      [
        { elapsed: 5, progress: 0.1 },
        { elapsed: 5, progress: 0.2 },
      ],
    ],
  ])("is none where %s", (_, observations) => {
    expect(estimateRest(observations, 1_000)).toBeUndefined();
  });

  it("goes by the pace since the first look, less the time since the last one", () => {
    const observations = [
      { elapsed: 2_000, progress: 0.2 },
      { elapsed: 4_000, progress: 0.4 },
    ];
    expect(estimateRest(observations, 4_000)).toBeCloseTo(6_000);
    expect(estimateRest(observations, 7_000)).toBeCloseTo(3_000);
    expect(estimateRest(observations, 60_000)).toBe(0);
  });
});

describe("nextRest", () => {
  it("grows with the time passed, without progress to go by", () => {
    const rests = [0, 6_000, 60_000, 120_000, 3_600_000].map((elapsed) => nextRest({ elapsed, observations: [] }));
    expect(rests).toEqual([500, 500, 5_000, 10_000, 30_000]);
  });

  it("grows denser towards the end, with progress to go by", () => {
    const at = (elapsed: number) =>
      nextRest({
        elapsed,
        observations: [
          { elapsed: 0, progress: 0 },
          { elapsed, progress: elapsed / 60_000 },
        ],
      });
    expect([10_000, 30_000, 50_000, 59_900].map((elapsed) => Math.round(at(elapsed)))).toEqual([
      5_000, 15_000, 6_000, 500,
    ]);
  });

  it("is from 500 ms to 30 s, whatever was seen", () => {
    const observation = fc.record({ elapsed: fc.nat(), progress: fc.double({ min: 0, max: 1, noNaN: true }) });
    fc.assert(
      fc.property(fc.array(observation), fc.nat(), (observations, elapsed) => {
        const rest = nextRest({ elapsed, observations });
        expect(rest >= 500 && rest <= 30_000).toBe(true);
      }),
      { numRuns: 300, seed: 8 },
    );
  });
});
