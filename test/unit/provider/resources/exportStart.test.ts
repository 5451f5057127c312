import { describe, expect, it } from "vitest";
import { startExportJob } from "../../../../provider/resources/exportStart";
import * as errors from "../../../../provider/support/errors";
import { Deadline } from "../../../../provider/support/time/deadline";
import { rejection } from "../../../support/clientUnderTest";
import { begin, type ResourceWorld, world } from "../../../support/fakePlatform";

const facts = { happened: "another job runs", remedy: "wait." };
const domain = "a.test";
const minute = 60_000;

const conflict = (told: { jobId?: string; domain?: string; retryAfter?: number } = {}) =>
  new errors.ConflictError({ ...facts, ...told });
const start = ({ context, journal }: ResourceWorld, waitTimeout = 30 * minute) =>
  startExportJob(
    { domain },
    journal.open(),
    { name: "waitTimeout", time: "30m", deadline: Deadline.in(waitTimeout, context.clock) },
    context,
  );
const callsOf = ({ platform }: ResourceWorld) => platform.calls;

describe("a start that another job stands in the way of", () => {
  it("is tried again after rests that double to half a minute, and warns once how to adopt a job that is named", async () => {
    const here = world();
    here.platform.starts = [...Array(8).fill(conflict({ jobId: "job-0" })), { jobId: "job-1" }];
    expect(await start(here)).toMatchObject({ jobId: "job-1" });
    expect(callsOf(here)).toEqual(["start a.test", "get job-0", ...Array(8).fill("start a.test")]);
    expect(here.clock.sleeps).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    expect(here.warnings).toEqual([expect.stringContaining('jobId: "job-0"')]);
    expect(here.statuses.every((text) => text.includes("job-0"))).toBe(true);
  });

  it.each([
    ["its answer", { jobId: "job-0", domain: "b.test" }, {}],
    ["its record", { jobId: "job-0" }, { domain: "b.test" }],
  ])("is no advice to adopt that job where %s says that it is of another domain", async (_, told, look) => {
    const here = world();
    here.platform.starts = [conflict(told)];
    here.platform.looks = [{ status: "running", ...look }];
    const { message } = await rejection(start(here));
    expect(message).toContain("run `pulumi up` again when job job-0 has ended. That job exports another domain.");
    expect(message).not.toContain("StaticExport(");
    expect(here.warnings).toEqual([]);
  });

  it("is advice about the job that is in the way at the end, where another one was before", async () => {
    const here = world();
    here.platform.starts = [conflict({ jobId: "job-0" }), conflict({ jobId: "job-9" })];
    here.platform.looks = [{ status: "running", domain: "b.test" }, { status: "running" }];
    expect((await rejection(start(here))).message).toContain('{ domain: "a.test", jobId: "job-9" }');
    expect(here.platform.calls.filter((call) => call.startsWith("get"))).toEqual(["get job-0", "get job-9"]);
  });

  it("rests as long as the platform asks, but never tries again at once", async () => {
    const here = world();
    here.platform.starts = [conflict({ retryAfter: 7_000 }), conflict({ retryAfter: 0 }), {}];
    await start(here);
    expect(here.clock.sleeps).toEqual([7_000, 500]);
    expect(here.warnings).toEqual([]);
    expect(here.statuses[0]).toContain("7s");
  });
});

describe("a start that is not possible within waitTimeout", () => {
  it("is tried once more after it, since the machine may have slept until then", async () => {
    const here = world();
    here.platform.starts = [conflict(), conflict(), { jobId: "job-1" }];
    here.clock.onSleep = () => here.clock.sleeps.length === 2 && here.clock.pass(120 * minute);
    expect(await start(here)).toMatchObject({ jobId: "job-1" });
    const never = world();
    never.platform.starts = [conflict()];
    await rejection(start(never, 60_000));
    expect(never.clock.monotonic()).toBe(60_000);
  });

  it.each([{}, { jobId: "job-0" }, { retryAfter: 10 * minute }])("is a conflict: %j", async (told) => {
    const here = world();
    here.platform.starts = [conflict(told)];
    const error = await rejection(start(here, 5 * minute));
    expect(error).toBeInstanceOf(errors.ConflictError);
    expect(error.message).toContain("DOCS_CONFLICT: another job runs");
    expect(error.message).toContain("Exists now: no export job of a.test was started.");
    expect(here.clock.now()).toBeLessThanOrEqual(begin + 5 * minute);
    expect(callsOf(here).length > 1).toBe(told.retryAfter === undefined);
  });

  it.each(['"}); process.exit(); //', "https://x?\\", "`\"'", "job\n0"])(
    "shows it by a line whose id is one literal, whatever the id: %j",
    async (jobId) => {
      const here = world();
      here.platform.starts = [conflict({ jobId })];
      here.platform.looks = [{ status: "running" }];
      const line = (await rejection(start(here))).message.split("\n").at(-1) ?? "";
      const made: unknown[][] = [];
      const run = new Function("StaticExport", "process", line);
      run(function StaticExport(...args: unknown[]) {
        made.push(args);
      });
      expect(made).toEqual([["…", { domain: "a.test", jobId: expect.any(String) }]]);
      expect(here.warnings[0]?.split("jobId: ")[1]).toMatch(/^"[^"]*"$/);
    },
  );
});

describe("the starts that one run wanted, on a platform that limits them", () => {
  it.each([() => new errors.RateLimitError(facts), () => conflict()])(
    "are counted in the error of each that was not accepted",
    async (refusal) => {
      const here = world();
      here.platform.starts = [{}, {}, refusal];
      await start(here, 1_000);
      await start(here, 1_000);
      expect((await rejection(start(here, 1_000))).message).toContain(
        "Exists now: no export job of a.test was started. This run wanted 3 starts, and the platform has accepted 2 of them.",
      );
    },
  );

  it("are not counted in another error, nor is a single one", async () => {
    const here = world();
    here.platform.starts = [new errors.RateLimitError(facts), new errors.RequestRejectedError(facts)];
    for (const _ of here.platform.starts) {
      expect((await rejection(start(here))).message).toContain("Exists now: no export job of a.test was started.\n");
    }
  });
});
