import { describe, expect, it } from "vitest";
import { startExportJob } from "../../../../provider/resources/exportStart";
import * as errors from "../../../../provider/support/errors";
import { Deadline } from "../../../../provider/support/time/deadline";
import { rejection } from "../../../support/clientUnderTest";
import { begin, type ResourceWorld, world } from "../../../support/fakePlatform";

const facts = { happened: "another job runs", remedy: "wait." };
const domain = "a.test";
const minute = 60_000;

const conflict = (told: { jobId?: string; retryAfter?: number } = {}) =>
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
  it("follows the job that is named until it has ended, then starts, and warns once how to adopt it", async () => {
    const here = world();
    here.platform.starts = [conflict({ jobId: "job-0" }), { jobId: "job-1" }];
    here.platform.looks = [{ status: "running" }, { status: "COMPLETED" }];
    expect(await start(here)).toMatchObject({ jobId: "job-1" });
    expect(callsOf(here)).toEqual(["start a.test", "get job-0", "get job-0", "start a.test"]);
    expect(here.warnings).toEqual([expect.stringContaining('jobId: "job-0"')]);
    expect(here.statuses.every((text) => text.includes("job-0"))).toBe(true);
  });

  it.each<[string, { status: string } | Error]>([
    ["failed", { status: "failed" }],
    ["is unknown", new errors.NotFoundError(facts)],
  ])("goes on where that job %s: it is not in the way any more", async (_, look) => {
    const here = world();
    here.platform.starts = [conflict({ jobId: "job-0" }), { jobId: "job-1" }];
    here.platform.looks = [look];
    expect(await start(here)).toMatchObject({ jobId: "job-1" });
    expect(callsOf(here)).toEqual(["start a.test", "get job-0", "start a.test"]);
  });

  it("rests a minute where a job is named again after it has ended, so that there is no hot loop", async () => {
    const here = world();
    here.platform.starts = [
      conflict({ jobId: "job-0" }),
      conflict({ jobId: "job-0" }),
      conflict({ jobId: "job-0" }),
      {},
    ];
    await start(here);
    expect(callsOf(here)).toEqual(["start a.test", "get job-0", "start a.test", "start a.test", "start a.test"]);
    expect(here.clock.sleeps).toEqual([500, minute, minute]);
    expect(here.warnings).toHaveLength(1);
  });

  it("follows each job that gets in the way", async () => {
    const here = world();
    here.platform.starts = [conflict({ jobId: "job-0" }), conflict({ jobId: "job-9" }), {}];
    await start(here);
    expect(callsOf(here)).toEqual(["start a.test", "get job-0", "start a.test", "get job-9", "start a.test"]);
  });

  it("rests before each restart, ever longer, and warns once, where another job is named each time", async () => {
    const here = world();
    let jobs = 0;
    here.platform.starts = [() => conflict({ jobId: `job-${jobs++}` })];
    here.platform.looks = [new errors.NotFoundError(facts)];
    expect(await rejection(start(here))).toBeInstanceOf(errors.ConflictError);
    const starts = callsOf(here).filter((call) => call.startsWith("start"));
    expect(here.clock.sleeps.slice(0, 9)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, minute, minute]);
    expect(here.clock.sleeps).toHaveLength(starts.length - 1);
    expect(starts.length).toBeLessThan(40);
    expect(here.warnings).toEqual([expect.stringContaining('jobId: "job-0"')]);
  });

  it("rests as long as the platform asks where none is named, else a minute", async () => {
    const here = world();
    here.platform.starts = [conflict({ retryAfter: 7_000 }), conflict(), {}];
    await start(here);
    expect(here.clock.sleeps).toEqual([7_000, minute]);
    expect(here.warnings).toEqual([]);
    expect(here.statuses[0]).toContain("7s");
  });

  it("never tries again at once, even where the platform asks for no rest", async () => {
    const here = world();
    here.platform.starts = [conflict({ retryAfter: 0 }), conflict({ retryAfter: 0 }), {}];
    await start(here);
    expect(here.clock.sleeps.every((rest) => rest >= 500)).toBe(true);
    expect(here.clock.sleeps).toHaveLength(2);
  });
});

describe("a start that is not possible within waitTimeout", () => {
  it.each<[string, { jobId?: string; retryAfter?: number }, number]>([
    ["nobody knows when", {}, minute],
    ["the platform asks for longer", { retryAfter: 10 * minute }, 5 * minute],
    ["the job that is named runs on", { jobId: "job-0" }, 5 * minute],
  ])("is a conflict, where %s", async (_, told, waitTimeout) => {
    const here = world();
    here.platform.starts = [conflict(told)];
    here.platform.looks = [{ status: "running" }];
    const error = await rejection(start(here, waitTimeout));
    expect(error).toBeInstanceOf(errors.ConflictError);
    expect(error.message).toContain("DOCS_CONFLICT: another job runs");
    expect(error.message).toContain("Exists now: no export job of a.test was started.");
    expect(here.clock.now()).toBeLessThanOrEqual(begin + waitTimeout);
    expect(callsOf(here).filter((call) => call.startsWith("start"))).toHaveLength(1);
  });

  it("tells how to adopt the job, where one is named", async () => {
    const here = world();
    here.platform.starts = [conflict({ jobId: "job-0" })];
    here.platform.looks = [{ status: "running" }];
    const { message } = await rejection(start(here));
    expect(message).toContain('new StaticExport("…", { domain: "a.test", jobId: "job-0" })');
  });

  it.each(['"}); process.exit(); //', "https://x?\\", "`\"'", "job\n0"])(
    "tells it by a line whose id is one literal, whatever the id: %j",
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

describe("a wait for another job", () => {
  it.each([{ jobId: "job-0" }, {}])(
    "ends at once when the run is cancelled, and nothing was started (%j)",
    async (told) => {
      const here = world();
      here.platform.starts = [conflict(told)];
      here.platform.looks = [{ status: "running" }];
      here.clock.onSleep = here.cancel;
      const error = await rejection(start(here));
      expect(error).toBeInstanceOf(errors.InterruptedError);
      expect(error.message).toContain("Exists now: no export job of a.test was started.");
      expect(here.clock.sleeps).toHaveLength(1);
    },
  );

  it("ends with the error of a look that fails, and nothing was started", async () => {
    const here = world();
    here.platform.starts = [conflict({ jobId: "job-0" })];
    here.platform.looks = [new errors.AuthenticationError(facts)];
    const error = await rejection(start(here));
    expect(error).toBeInstanceOf(errors.AuthenticationError);
    expect(error.message).toContain("no export job of a.test was started");
  });

  it("goes on where the last look before the deadline is cut short: the conflict is what there is to tell", async () => {
    const here = world();
    here.platform.starts = [conflict({ jobId: "job-0" })];
    here.platform.looks = [
      () => {
        here.clock.pass(minute);
        return new errors.TimeoutError(facts);
      },
    ];
    expect(await rejection(start(here, minute))).toBeInstanceOf(errors.ConflictError);
  });
});
