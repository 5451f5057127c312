import { describe, expect, it } from "vitest";
import type { StaticExportState } from "../../../../provider/definitions/staticExport";
import type { ExportWaitOptions } from "../../../../provider/resources/exportWait";
import { createWaitLimit } from "../../../../provider/resources/wait";
import { Deadline } from "../../../../provider/support/time/deadline";
import { rejection } from "../../../support/clientUnderTest";
import { FakeClock } from "../../../support/fakeClock";
import { begin, origin, type ResourceWorld, world } from "../../../support/fakePlatform";
import { throwingLifecycles } from "../../../support/throwingLifecycles";

const { followExport } = throwingLifecycles;

const minute = 60_000;
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

describe("what a wait goes by", () => {
  it("is the time since the platform says that the job began, by the platform's own clock", async () => {
    const here = world();
    const platformTime = begin + 60 * minute;
    here.platform.looks = [
      { status: "running", startedAt: platformTime - 5 * minute, platformTime },
      { status: "completed" },
    ];
    await follow(here, { origin: "adopted" });
    expect(here.statuses[0]).toContain("5m elapsed");
  });

  it("is not reported an adopted job that was completed before anybody looked", async () => {
    const here = world();
    here.platform.looks = [{ status: "completed", startedAt: begin - 5 * minute }];
    await follow(here, { origin: "adopted" }, state);
    expect(here.statuses).toEqual([expect.stringMatching(/^completed, /)]);
  });
});

it("a job that was started for another domain is saved, and nothing waits for it, now or later", async () => {
  const here = world();
  const failure = await rejection(follow(here, { startedFor: "b.test" }));
  expect(failure).toMatchObject({ id: "job-1", goesOn: false, reason: { code: "DOCS_ADOPTION" } });
  expect(here.clock.sleeps).toEqual([]);
});

it.each<[limit: string, seconds: number, waitTimeout: string | undefined, customTimeout: number | undefined]>([
  ["30m", 1_800, undefined, undefined],
  ["5s", 5, "5s", 6_000],
  ["5s, of customTimeouts", 5, undefined, 5_000],
])(
  "the limit of a wait is %s (%i s), where waitTimeout is %s and the engine's own limit %s",
  (time, seconds, waitTimeout, duration) => {
    const timeLimit = duration === undefined ? {} : { timeLimit: { duration, name: "customTimeouts" } };
    const given = waitTimeout === undefined ? {} : { waitTimeout };
    const limit = createWaitLimit(given, { clock: new FakeClock(0), ...timeLimit });
    expect([limit.time, limit.deadline.at]).toEqual([time, seconds * 1_000]);
  },
);
