import { beforeAll, describe, expect, it } from "vitest";
import { boundWithoutProgress } from "../pacing/bound";
import { makeJob, mixed, parameters, shapes, situationNames } from "../pacing/generator";
import { type PacingResult, pacingPart, shortJobs } from "../pacing/part";
import { policies } from "../pacing/policies";
import { ourWaiter, runCell } from "../pacing/simulate";

/** Requests, mean delay and 95th percentile on A, B and C, from the time when the targets were set. */
const published: Record<string, string> = {
  "fixed 10 s": "31 5.0 9.7, 25 5.1 9.7, 3.6 5.1 9.7",
  "fixed 2 s": "146 1.1 2.0, 116 1.1 2.0, 15 1.1 2.0",
  "AWS waiter": "9.5 60 114, 9.0 62 114, 6.2 20 102",
  "Google LRO": "11 22 43, 10 22 43, 3.8 9.4 23",
  "Azure LRO": "11 15 29, 9 15 29, 1.5 14 29",
  "last duration only": "12 12 22, 5.9 6.4 17, 3.9 4.0 9.9",
  "naive ETA": "28 1.7 4.6, 28 1.4 2.6, 12 0.6 1.1",
};
/**
 * The allowed distance from a published figure. Both figures are drawn, and one of the policies is described only in
 * words.
 */
const tolerance = 0.15;

describe("the pacing of waits, in its short form", () => {
  let part: PacingResult;
  beforeAll(async () => {
    part = await pacingPart(shortJobs, []);
  });

  it("meets every target", () => {
    expect(part.targets.length).toBeGreaterThan(90);
    expect(part.targets.filter(({ value, limit }) => !(value <= limit))).toEqual([]);
  });

  it.each(policies.map(({ name }) => name))("has the published figures for %s: the jobs are the ones meant", (name) => {
    const figures = (published[name] ?? "").split(", ").map((cell) => cell.split(" ").map(Number));
    for (const [index, [requests, delay, late]] of figures.entries()) {
      const cell = `pacing.${name.replaceAll(" ", "-")}.${situationNames[index]}`;
      for (const [measure, expected] of Object.entries({ requests, delay, late })) {
        const ratio = (part.figures[`${cell}.${measure}`] ?? Number.NaN) / (expected ?? Number.NaN);
        expect(Math.abs(ratio - 1), `${cell}.${measure}: ${ratio}`).toBeLessThan(tolerance);
      }
    }
  });

  it("tells all parameters of its jobs, and every figure as a number", () => {
    expect(part.figures["pacing.parameters.jobs"]).toBe(shortJobs);
    expect(part.figures["pacing.parameters.situations.A.median"]).toBe(parameters.situations.A.median);
    expect(Object.values(part.figures).every(Number.isFinite)).toBe(true);
  });

  it("draws every policy, and ours", () => {
    for (const name of [...policies.map((policy) => policy.name), "ours, linear", "ours, mixed", "ours, absent"]) {
      expect(part.frontier.split(`>${name}<`)).toHaveLength(1 + situationNames.length);
    }
  });

  it("is above the bound that nothing without progress can be below", () => {
    expect(boundWithoutProgress("A")).toBeGreaterThan(130);
    expect(boundWithoutProgress("A")).toBeLessThan(136);
    for (const name of situationNames) {
      const bound = boundWithoutProgress(name);
      for (const policy of ["fixed-10-s", "fixed-2-s", "AWS-waiter", "Google-LRO", "Azure-LRO"]) {
        const cell = `pacing.${policy}.${name}`;
        const product = (part.figures[`${cell}.requests`] ?? 0) * (part.figures[`${cell}.delay`] ?? 0);
        expect(product).toBeGreaterThan(bound);
      }
    }
  });
});

describe("a job of the generator", () => {
  it("is the same for the same number, and as long whatever it shows", () => {
    for (const name of situationNames) {
      const [first, again] = [makeJob(name, "linear", 7), makeJob(name, "linear", 7)];
      expect(first.duration).toBe(again.duration);
      expect(first.progressAt(0.9 * first.duration)).toBe(again.progressAt(0.9 * first.duration));
      expect(shapes.map((shape) => makeJob(name, shape, 7).duration)).toEqual(shapes.map(() => first.duration));
    }
  });

  it("shows whole per cents, and 100 % never; only a jump goes back", () => {
    for (const shape of shapes.filter((each) => each !== "queue" && each !== "absent")) {
      const job = makeJob("A", shape, 11);
      const shown = Array.from({ length: 2_000 }, (_, index) => job.progressAt((index / 2_000) * job.duration) ?? -1);
      expect(shown.every((progress) => progress >= 0 && progress < 1)).toBe(true);
      expect(shown.every((progress) => Math.abs(progress * 100 - Math.round(progress * 100)) < 1e-9)).toBe(true);
      expect(shown.some((progress, index) => progress < (shown[index - 1] ?? 0))).toBe(shape === "jump");
    }
  });
});

it("a cell is the same each time", async () => {
  const run = () => runCell(ourWaiter({ knowsLast: true }), "B", mixed, 50);
  expect(await run()).toEqual(await run());
});
