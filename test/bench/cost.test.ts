import { beforeAll, describe, expect, it } from "vitest";
import { costPart, shortCost } from "../../bench/cost/part";
import type { Part } from "../../bench/part";

describe("the cost of a resource beside a trivial one, in its short form", () => {
  let part: Part;
  beforeAll(async () => {
    part = await costPart(shortCost);
  }, 300_000);
  const target = (name: string) => part.targets.find((each) => each.name === name);

  it.each(["cost.5.stateBytes", "cost.5.providerMemory", "cost.loading.libraries"])("meets %s", (name) => {
    const { value, limit } = target(name) ?? { value: Number.NaN, limit: 0 };
    expect(value).toBeLessThanOrEqual(limit);
  });

  it("tells every other ratio too, of times that a noisy machine moves", () => {
    for (const name of ["cost.5.firstUp", "cost.5.unchangedUp", "cost.5.refresh"]) {
      expect(target(name)?.value).toBeGreaterThan(0);
    }
  });
});
