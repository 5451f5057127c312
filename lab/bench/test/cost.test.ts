import { beforeAll, describe, expect, it } from "vitest";
import { costPart, costReport, shortCost } from "../cost/part";
import type { Measurement } from "../part";

describe("the cost of a resource beside a trivial one, in its short form", () => {
  let part: Measurement;
  beforeAll(async () => {
    part = await costPart(shortCost);
  }, 300_000);
  const target = (name: string) => part.targets.find((each) => each.name === name);

  it.each(["cost.5.stateBytes", "cost.5.providerMemory", "cost.loading.libraries"])("meets %s", (name) => {
    const { value, limit } = target(name) ?? { value: Number.NaN, limit: 0 };
    expect(value).toBeLessThanOrEqual(limit);
  });
});

describe("the report of the cost", () => {
  const life = { firstUp: 4, unchangedUp: 2, refresh: 2, stateBytes: 1_000, providerMemory: 100, unchangedMemory: 90 };
  const loadings = [{ milliseconds: 7, libraries: [] }];

  it("tells of each measure the ratio of the medians", () => {
    const ours = [
      { ...life, firstUp: 2 },
      { ...life, firstUp: 3 },
      { ...life, firstUp: 9 },
    ];
    const { targets, text } = costReport(new Map([[5, { ours, trivial: [life, life, life] }]]), 400, loadings);
    const ratios = Object.fromEntries(targets.map(({ name, value }) => [name, value]));
    expect(ratios).toEqual({
      "cost.5.firstUp": 0.75,
      "cost.5.unchangedUp": 1,
      "cost.5.refresh": 1,
      "cost.5.stateBytes": 1,
      "cost.5.providerMemory": 1,
      "cost.5.unchangedMemory": 1,
      "cost.loading.milliseconds": 7,
      "cost.loading.libraries": 0,
    });
    expect(text).toContain("has 400 bytes of state");
  });

  it("leaves out what was not measured", () => {
    const first = { ...life, unchangedUp: undefined, refresh: undefined, unchangedMemory: undefined };
    const { targets } = costReport(new Map([[5, { ours: [first], trivial: [first] }]]), undefined, loadings);
    const names = targets.map(({ name }) => name);
    expect(names).toContain("cost.5.firstUp");
    expect(names).not.toContain("cost.5.refresh");
  });
});
