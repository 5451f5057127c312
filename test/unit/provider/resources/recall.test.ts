import { describe, expect, it } from "vitest";
import type { StaticExportState } from "../../../../provider/definitions/staticExport";
import type { ExportJob } from "../../../../provider/platform/client";
import * as errors from "../../../../provider/support/errors";
import { rejection } from "../../../support/clientUnderTest";
import { begin, type ResourceWorld, world } from "../../../support/fakePlatform";
import { SavedFailure, throwingLifecycles } from "../../../support/throwingLifecycles";

const { staticExport } = throwingLifecycles;

const inputs = { domain: "a.test", triggers: { revision: 1 } };
const facts = { happened: "no", remedy: "mend it." };

/** Makes the surroundings of a resource after a run that started a job and was then killed. */
function afterKill(looks: ResourceWorld["platform"]["looks"]): ResourceWorld {
  const here = world();
  here.journal.earlier = { id: "job-0", acceptedAt: 0 };
  here.platform.starts = [{ jobId: "job-1" }];
  here.platform.looks = looks;
  return here;
}

describe("a job that an earlier run had started, and that the state does not have,", () => {
  it("is followed to its end if it still runs, and none is started", async () => {
    const { platform, context, journal, infos } = afterKill([{ status: "running" }, { status: "completed" }]);
    const { id, state } = await staticExport.create(inputs, context);
    expect({ id, state }).toMatchObject({
      id: "job-0",
      state: { jobId: "job-0", status: "completed", version: "job-0" },
    });
    expect(platform.calls).toEqual(["get job-0", "get job-0"]);
    expect(infos).toEqual([
      expect.stringMatching(/^continues with export job job-0, which an earlier run started at \d{4}-.*Z$/),
    ]);
    // The start is recorded already, so the journal is not changed.
    expect(journal.changes).toEqual([]);
  });

  it.each<[string, { status: string } | Error]>([
    ["failed", { status: "failed" }],
    ["is gone", new errors.NotFoundError(facts)],
  ])("and that %s is forgotten, and one is started again", async (_, look) => {
    const { platform, context, journal } = afterKill([look, { status: "completed" }]);
    expect(await staticExport.create(inputs, context)).toMatchObject({ id: "job-1", state: { status: "completed" } });
    expect(platform.calls).toEqual(["get job-0", "start a.test", "get job-1"]);
    expect(journal.changes).toEqual(["discarded", "intended", "accepted job-1"]);
  });

  it("is forgotten if it is not found ten seconds after it was accepted, and another one is started", async () => {
    const { platform, context, journal, clock } = afterKill([new errors.NotFoundError(facts)]);
    const begin = clock.now();
    journal.earlier = { id: "job-0", acceptedAt: begin - 3_000 };
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
      const { platform, context, journal } = afterKill([look]);
      const error = await rejection(staticExport.create(inputs, context));
      expect(error).not.toBeInstanceOf(SavedFailure);
      expect(error.message).toContain("checks job job-0 again, and starts no new job");
      expect(platform.calls).toEqual(["get job-0"]);
      expect({ ...journal.earlier, changes: journal.changes }).toMatchObject({ id: "job-0", changes: [] });
    },
  );

  it.each<[string, Partial<ExportJob>, RegExp]>([
    [
      "is one of another domain",
      { status: "completed", domain: "foreign.test" },
      /that job is of foreign\.test, not of a\.test/,
    ],
    [
      "began long before its start was sent",
      { status: "completed", startedAt: begin - 86_400_000 },
      /older than the start/,
    ],
  ])(
    "and that %s was put into the journal by somebody: it is an error, and none is started",
    async (_, look, reason) => {
      const { platform, context, journal } = afterKill([look]);
      journal.earlier = { id: "job-0", acceptedAt: begin, earliestBegin: begin };
      const error = await rejection(staticExport.create(inputs, context));
      expect(error).toBeInstanceOf(errors.JobAdoptionError);
      expect(error.message).toMatch(reason);
      expect({ calls: platform.calls, changes: journal.changes }).toEqual({ calls: ["get job-0"], changes: [] });
    },
  );

  it.each([
    ["as this machine had it", begin + 60_000],
    ["a day before, since its clock was set back or it is another machine's", begin + 86_400_000],
  ])("and that began when its start was sent is ours, by a journal whose time is %s", async (_, acceptedAt) => {
    const here = afterKill([{ status: "completed", startedAt: begin }]);
    here.journal.earlier = { id: "job-0", acceptedAt, earliestBegin: begin - 500 };
    expect(await staticExport.create(inputs, here.context)).toMatchObject({ id: "job-0" });
  });
});

it("a start is recorded before it is sent, and with its job before anything else is asked", async () => {
  const { platform, context, journal } = world();
  journal.entry = "the entry";
  platform.starts = [
    () => {
      expect(journal.changes).toEqual(["intended"]);
      return { jobId: "job-1" };
    },
  ];
  platform.looks = [
    () => {
      expect(journal.changes).toEqual(["intended", "accepted job-1"]);
      return { status: "completed" };
    },
  ];
  const { state } = await staticExport.create(inputs, context);
  expect(journal.changes).toEqual(["intended", "accepted job-1"]);
  // The engine passes this entry to a later call only if it has saved the state.
  expect(state).toMatchObject({ __entry: "the entry" });
});

describe("a job that the platform does not find in the ten seconds after it was accepted", () => {
  const saved = async () => {
    const here = world();
    here.platform.looks = [new errors.PermissionError(facts)];
    const failure = (await rejection(staticExport.create(inputs, here.context))) as SavedFailure<StaticExportState>;
    here.platform.calls.length = 0;
    here.platform.looks = [new errors.NotFoundError(facts), { status: "completed" }];
    return { ...here, state: failure.state };
  };

  it("is kept by a refresh, and dropped by one after that", async () => {
    const { platform, context, clock, state } = await saved();
    platform.looks = [new errors.NotFoundError(facts)];
    expect(await staticExport.read("job-1", state, context)).toEqual(state);
    await clock.sleep(10_000);
    expect(await staticExport.read("job-1", state, context)).toBeUndefined();
  });

  it("leaves nothing of this in the state after it is completed", async () => {
    const { context, state } = await saved();
    expect(state).toHaveProperty("__acceptedAt");
    expect(await staticExport.update("job-1", state, inputs, context)).not.toHaveProperty("__acceptedAt");
  });
});
