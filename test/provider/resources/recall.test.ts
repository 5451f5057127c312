import { describe, expect, it } from "vitest";
import { PartialFailure } from "../../../provider/resources/lifecycle";
import { staticExport } from "../../../provider/resources/staticExport";
import * as errors from "../../../provider/support/errors";
import { rejection } from "../../support/clientUnderTest";
import { type World, world } from "../../support/fakePlatform";

const inputs = { domain: "a.test", triggers: { revision: 1 } };
const facts = { happened: "no", remedy: "mend it." };

/** A world in which a killed run has left a job behind. */
function afterKill(looks: World["platform"]["looks"]): World {
  const here = world();
  here.memory.remembered = "job-0";
  here.platform.starts = [{ jobId: "job-1" }];
  here.platform.looks = looks;
  return here;
}

describe("a job that a killed run had started", () => {
  it("and that still runs is followed to its end, and none is started", async () => {
    const { platform, context, memory } = afterKill([{ status: "running" }, { status: "completed" }]);
    const { id, state } = await staticExport.create(inputs, context);
    expect({ id, state }).toMatchObject({
      id: "job-0",
      state: { jobId: "job-0", status: "completed", version: "job-0" },
    });
    expect(platform.calls).toEqual(["get job-0", "get job-0"]);
    // What is noted already is not noted again.
    expect(memory.noted).toEqual([]);
  });

  it("and that is completed costs one look", async () => {
    const { platform, context } = afterKill([{ status: "completed" }]);
    expect(await staticExport.create(inputs, context)).toMatchObject({ id: "job-0" });
    expect(platform.calls).toEqual(["get job-0"]);
  });

  it("is one of our own: it is not held for adopted, and replaced at the next run if it fails", async () => {
    const { context } = afterKill([{ status: "running" }, { status: "failed" }]);
    const error = await rejection(staticExport.create(inputs, context));
    expect(error).toBeInstanceOf(PartialFailure);
    const { state } = error as PartialFailure<Parameters<typeof staticExport.diff>[0]>;
    expect(state).not.toHaveProperty("__adopted");
    expect(staticExport.diff(state, inputs, 0)).toEqual({ replaces: ["jobId"], update: true });
  });

  it.each<[string, { status: string } | Error]>([
    ["failed", { status: "failed" }],
    ["is gone", new errors.NotFoundError(facts)],
  ])("and that %s is forgotten, and one is started anew", async (_, look) => {
    const { platform, context, memory } = afterKill([look, { status: "completed" }]);
    expect(await staticExport.create(inputs, context)).toMatchObject({ id: "job-1", state: { status: "completed" } });
    expect(platform.calls).toEqual(["get job-0", "start a.test", "get job-1"]);
    expect({ remembered: memory.remembered, noted: memory.noted }).toEqual({ remembered: undefined, noted: ["job-1"] });
  });

  it("and that is not found yet, moments after it was accepted, is looked for again", async () => {
    const { platform, context, memory, clock } = afterKill([new errors.NotFoundError(facts), { status: "completed" }]);
    memory.notedAt = clock.now() - 3_000;
    expect(await staticExport.create(inputs, context)).toMatchObject({ id: "job-0", state: { status: "completed" } });
    expect(platform.calls).toEqual(["get job-0", "get job-0"]);
  });

  it("and that is not found ten seconds after it was accepted is forgotten, and one is started anew", async () => {
    const { platform, context, memory, clock } = afterKill([new errors.NotFoundError(facts)]);
    const begin = clock.now();
    memory.notedAt = begin - 3_000;
    platform.starts = [new errors.PermissionError(facts)];
    await rejection(staticExport.create(inputs, context));
    expect(platform.calls.at(-1)).toBe("start a.test");
    expect(clock.now() - begin).toBeGreaterThanOrEqual(7_000);
  });

  it.each([
    new errors.AuthenticationError(facts),
    new errors.PermissionError(facts),
    new errors.ServerError(facts),
    new errors.ConnectionError(facts),
  ])(
    "and of which nothing can be learned ($code) is an error that starts none, and it stays remembered",
    async (look) => {
      const { platform, context, memory } = afterKill([look]);
      const error = await rejection(staticExport.create(inputs, context));
      expect(error).not.toBeInstanceOf(PartialFailure);
      expect(error.message).toContain("looks at job job-0 again, and starts none");
      expect(platform.calls).toEqual(["get job-0"]);
      expect(memory.remembered).toBe("job-0");
    },
  );

  it("and that was seen running is kept in the state by every later failure", async () => {
    const { context, memory } = afterKill([{ status: "running" }, new errors.ConnectionError(facts)]);
    const error = await rejection(staticExport.create(inputs, context));
    expect(error).toMatchObject({
      id: "job-0",
      state: { jobId: "job-0", status: "running", triggers: inputs.triggers },
    });
    expect(memory.noted).toEqual([]);
  });

  it("is not asked for where the program adopts a job", async () => {
    const { platform, context, memory } = afterKill([{ status: "completed" }]);
    expect(await staticExport.create({ ...inputs, jobId: "job-7" }, context)).toMatchObject({ id: "job-7" });
    expect(platform.calls).toEqual(["get job-7"]);
    expect({ remembered: memory.remembered, noted: memory.noted }).toEqual({ remembered: "job-0", noted: [] });
  });
});

describe("a job that was just started", () => {
  it("is noted before anything else is asked", async () => {
    const { platform, context, memory } = world();
    platform.looks = [
      () => {
        expect(memory.noted).toEqual(["job-1"]);
        return { status: "completed" };
      },
    ];
    await staticExport.create(inputs, context);
    expect(memory.noted).toEqual(["job-1"]);
  });

  it("is not noted where its start was refused or its answer is lost", async () => {
    for (const thrown of [new errors.RefusedError(facts), new errors.AmbiguousStartError(facts)]) {
      const { platform, context, memory } = world();
      platform.starts = [thrown];
      await rejection(staticExport.create(inputs, context));
      expect(memory.noted).toEqual([]);
    }
  });
});
