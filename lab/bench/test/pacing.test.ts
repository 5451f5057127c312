import { beforeAll, describe, expect, it } from "vitest";
import { campaign } from "../../../test/support/campaign";
import { campaignSeed, seededRandom } from "../../../test/support/random";
import { type ProgressShape, progressShapes } from "../../../test/support/strangers/statuses";
import type { Measurement } from "../measurement";
import { drawJob } from "../pacing/drawJob";
import { parameters, situationNames } from "../pacing/generator";
import { pacingPart } from "../pacing/part";
import { measure, ourWaiter, type WaitBeginning } from "../pacing/simulate";

/**
 * The published figures of a wait that polls every ten seconds. For each of the situations A, B and C: the number of
 * requests, the mean delay, and the 95th percentile of the delay. Delays are in seconds.
 */
const published = "31 5.0 9.7, 25 5.1 9.7, 3.6 5.1 9.7";

const jobsOfShape = campaign ? 1_000 : 50;

describe("the pacing of waits, with fewer jobs than the benchmark draws", () => {
  let part: Measurement;
  beforeAll(async () => {
    part = await pacingPart(400);
  });

  it("meets every target", () => {
    expect(part.targets.length).toBeGreaterThan(70);
    expect(part.targets.filter(({ value, limit }) => !(value <= limit))).toEqual([]);
  });

  it("is measured on the jobs that were meant: polls every ten seconds have their published figures", () => {
    for (const [index, cell] of published.split(", ").entries()) {
      for (const [at, measure] of ["requests", "delay", "late"].entries()) {
        const key = `pacing.fixed-10-s.${situationNames[index]}.${measure}`;
        // The published figures come from more jobs than this run, so the comparison is rough.
        expect((part.figures[key] ?? Number.NaN) / Number(cell.split(" ")[at]), key).toBeCloseTo(1, 0.5);
      }
    }
  });
});

describe("a wait on a platform that shows progress of any shape, in any form", () => {
  const beginnings: WaitBeginning[] = [{}, { knowsBegin: false }, { at: 0.5 }, { at: 0.5, knowsBegin: false }];
  /** In seconds. On average, a job ends in the middle of a pause, so the mean delay is half a pause. */
  const delayOfLoop = (10_000 + parameters.latency) / 2_000;

  it.each(Object.keys(progressShapes) as ProgressShape[])(
    "sees the end no later than a loop that polls every ten seconds, with any word for the queue: %s",
    async (shape) => {
      for (const beginning of beginnings) {
        const job = (number: number) => drawJob(shape, [2_000, 1_800_000], seededRandom(campaignSeed() + number));
        const { delay } = await measure(ourWaiter(beginning), job, jobsOfShape);
        expect(delay, JSON.stringify(beginning)).toBeLessThan(delayOfLoop);
      }
    },
  );
});
