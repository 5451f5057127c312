import { beforeAll, describe, expect, it } from "vitest";
import { situationNames } from "../pacing/generator";
import { pacingPart } from "../pacing/part";
import type { Measurement } from "../part";

/** Requests, mean delay and 95th percentile of polls every ten seconds on A, B and C, when the targets were set. */
const published = "31 5.0 9.7, 25 5.1 9.7, 3.6 5.1 9.7";

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
        // Both figures are drawn.
        expect((part.figures[key] ?? Number.NaN) / Number(cell.split(" ")[at]), key).toBeCloseTo(1, 0.5);
      }
    }
  });
});
