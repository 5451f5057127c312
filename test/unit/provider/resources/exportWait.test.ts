import { describe, expect, it } from "vitest";
import type { StaticExportState } from "../../../../provider/definitions/staticExport";
import { priorOf } from "../../../../provider/resources/exportJob";
import { type ExportWaitOptions, followExport } from "../../../../provider/resources/exportWait";
import { PartialFailure } from "../../../../provider/resources/lifecycle";
import * as errors from "../../../../provider/support/errors";
import { Deadline } from "../../../../provider/support/time/deadline";
import { rejection } from "../../../support/clientUnderTest";
import { begin, origin, type ResourceWorld, world } from "../../../support/fakePlatform";

const facts = { happened: "no", remedy: "mend it." };
const minute = 60_000;
const __acceptedAt = new Date(begin).toISOString();
const state: StaticExportState = {
  jobId: "job-1",
  domain: "a.test",
  status: "queued",
  version: "job-1",
  __origin: origin,
};

const follow = ({ context }: ResourceWorld, given: Partial<ExportWaitOptions> = {}, from = state) =>
  followExport(
    from,
    {
      name: "waitTimeout",
      time: "30m",
      deadline: Deadline.in(30 * minute, context.clock),
      origin: "started",
      ...given,
    },
    context,
  );

describe("a platform that does not answer for a while", () => {
  const outage = [new errors.ConnectionError(facts), new errors.TimeoutError(facts), new errors.ServerError(facts)];

  it("does not end the wait, and the status tells it", async () => {
    const here = world();
    here.platform.looks = [{ status: "running" }, ...outage, { status: "completed" }];
    expect((await follow(here)).status).toBe("completed");
    const telling = here.statuses.map((text) => text.startsWith("no answer, retrying, running, "));
    expect(telling).toEqual([false, true, true, true, false]);
  });

  it("ends it after as many looks as one request is tried, and the job is kept", async () => {
    for (const maxRetries of [0, 2]) {
      const here = world({ maxRetries });
      here.platform.looks = [{ status: "running" }, new errors.ServerError(facts)];
      const failure = await rejection(follow(here));
      expect(failure).toBeInstanceOf(PartialFailure);
      expect(failure).toMatchObject({ id: "job-1", state: { status: "running" }, reason: { code: "DOCS_SERVER" } });
      expect(here.platform.calls).toHaveLength(1 + 1 + maxRetries);
    }
  });

  it("ends it at once as long as a job that is adopted was not seen", async () => {
    const here = world();
    here.platform.looks = [new errors.ServerError(facts)];
    expect(await rejection(follow(here, { origin: "adopted" }))).toMatchObject({ code: "DOCS_SERVER" });
    expect(here.platform.calls).toHaveLength(1);
  });
});

describe("what a wait goes by", () => {
  it("is the last export, where it is known: its time, and its pages", async () => {
    const times = { startedAt: "2026-03-01T00:00:00.000Z", completedAt: "2026-03-01T00:20:00.000Z" };
    const last: StaticExportState = { ...state, ...times, status: "completed", pageCount: 40 };
    expect(priorOf(last)).toEqual({ duration: 20 * minute, pages: 40 });
    expect(priorOf({ ...last, status: "failed" })).toBeUndefined();
    expect(priorOf({ ...last, completedAt: times.startedAt })).toBeUndefined();
    expect(priorOf(state)).toBeUndefined();
    expect(priorOf(undefined)).toBeUndefined();
  });

  it("makes looks dense when the last export was done", async () => {
    const here = world();
    const took = 10 * minute;
    here.platform.looks = [() => (here.clock.now() - begin >= took ? { status: "completed" } : { status: "running" })];
    await follow(here, { prior: { duration: took } }, { ...state, __acceptedAt });
    const { sleeps } = here.clock;
    expect(Math.min(...sleeps)).toBeLessThan(Math.max(...sleeps) / 3);
    expect(sleeps.length).toBeLessThan(20);
  });

  it("is the time since the job was accepted, also by a killed run", async () => {
    const here = world();
    here.platform.looks = [{ status: "running" }, { status: "completed" }];
    const earlier = new Date(begin - 5 * minute).toISOString();
    await follow(here, { origin: "remembered" }, { ...state, __acceptedAt: earlier });
    expect(here.statuses).toEqual([expect.stringContaining("5m elapsed"), expect.stringMatching(/^completed in 5m/)]);
  });

  it("is not told of an adopted job that was completed before anybody looked", async () => {
    const here = world();
    here.platform.looks = [{ status: "completed", startedAt: begin - 5 * minute }];
    await follow(here, { origin: "adopted" }, state);
    expect(here.statuses).toEqual([expect.stringMatching(/^completed, /)]);
  });

  it("is that a job which was in its queue may show progress soon, and one that runs without it will not", async () => {
    const restsAfter = async (...statuses: string[]) => {
      const here = world();
      here.platform.looks = [...statuses.map((status) => ({ status })), { status: "completed" }];
      await follow(here, {}, { ...state, __acceptedAt });
      return here.clock.sleeps;
    };
    const [first = 0, second = 0] = await restsAfter("Queued", "running");
    expect(first).toBeLessThan(2_000);
    expect(second).toBeLessThan(3_000);
    const [only = 0] = await restsAfter("running");
    expect(only).toBeGreaterThan(20_000);
  });
});
