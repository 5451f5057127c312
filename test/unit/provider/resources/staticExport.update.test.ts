import { describe, expect, it } from "vitest";
import type { StaticExportState } from "../../../../provider/definitions/staticExport";
import * as errors from "../../../../provider/support/errors";
import { rejection } from "../../../support/clientUnderTest";
import { begin, origin, world } from "../../../support/fakePlatform";
import { SavedFailure, throwingLifecycles } from "../../../support/throwingLifecycles";

const { staticExport } = throwingLifecycles;

const facts = { happened: "no", remedy: "mend it." };
const completed: StaticExportState = {
  jobId: "job-1",
  domain: "a.test",
  status: "completed",
  version: "job-1",
  pageCount: 12,
  startedAt: "2026-02-28T00:00:00.000Z",
  completedAt: "2026-02-28T00:05:00.000Z",
  triggers: { r: 1 },
  __origin: origin,
};
const running: StaticExportState = { ...completed, status: "running" };
delete running.completedAt;
const inputs = { domain: "a.test", triggers: { r: 1 } };

describe("read", () => {
  it("costs one look, and leaves what is known of a completed job unchanged", async () => {
    const { platform, context } = world();
    platform.looks = [{ status: "running", startedAt: begin, completedAt: begin }];
    expect(await staticExport.read("job-1", completed, context)).toEqual(completed);
    expect(platform.calls).toEqual(["get job-1"]);
  });

  it("drops what the platform does not know, under the same origin, and says so", async () => {
    const { platform, context, warnings } = world();
    platform.looks = [new errors.NotFoundError(facts)];
    expect(await staticExport.read("job-1", completed, context)).toBeUndefined();
    expect(warnings).toEqual(["the platform no longer knows export job job-1: it is removed from the state."]);
  });

  it("is refused under another origin, naming both, and sends nothing", async () => {
    const { platform, context } = world({ origin: "https://other.example.com" });
    const error = await rejection(staticExport.read("job-1", completed, context));
    expect(error).toBeInstanceOf(errors.PlatformOriginMismatchError);
    expect(error.message).toContain("https://api.example.com");
    expect(error.message).toContain("https://other.example.com");
    expect(platform.calls).toEqual([]);
  });

  it.each([new errors.ServerError(facts), new errors.AuthenticationError(facts), new errors.RunCancelledError()])(
    "drops nothing for any other error: $name",
    async (thrown) => {
      const { platform, context } = world();
      platform.looks = [thrown];
      const error = await rejection(staticExport.read("job-1", completed, context));
      expect(error).toBe(thrown);
      expect(error.message).toContain("nothing was changed");
    },
  );

  it("fails for an id alone that the platform does not know, since nothing is there to drop", async () => {
    const { platform, context } = world();
    platform.looks = [new errors.NotFoundError(facts)];
    const error = await rejection(staticExport.read("old-7", {}, context));
    expect(error).toBeInstanceOf(errors.NotFoundError);
    expect(error.message).toMatch(/Exists now: nothing was changed\.\n +Next run: +checks the job again\./);
  });

  it("knows for an id alone what the platform shows, and no more", async () => {
    const { platform, context } = world();
    platform.looks = [{ status: "completed", domain: "b.test", pageCount: 3 }];
    expect(await staticExport.read("old-7", {}, context)).toEqual({
      jobId: "old-7",
      domain: "b.test",
      status: "completed",
      version: "old-7",
      pageCount: 3,
      __origin: origin,
      __adopted: true,
    });
    platform.looks = [{ status: "running" }];
    expect(await staticExport.read("old-8", {}, context)).not.toHaveProperty("domain");
  });
});

describe("update", () => {
  it("has a whole waitTimeout of its own", async () => {
    const { platform, context } = world();
    platform.looks = [{ status: "running" }];
    const failure = await rejection(staticExport.update("job-1", running, { ...inputs, waitTimeout: "2m" }, context));
    expect(failure).toBeInstanceOf(SavedFailure);
    expect(failure).toMatchObject({ id: "job-1", state: { status: "running", waitTimeout: "2m" } });
    expect(platform.options[0]?.deadline?.at).toBe(120_000);
  });

  it.each<[string, object | Error, string]>([
    ["failed", { status: "failed" }, "failed"],
    ["is unknown", new errors.NotFoundError(facts), "vanished"],
  ])("of an adopted job that %s is an error at each run, and never a start", async (_, look, status) => {
    const { platform, context } = world();
    const adopted: StaticExportState = { ...completed, status, __adopted: true };
    platform.looks = [look];
    for (let run = 0; run < 2; run++) {
      const failure = await rejection(staticExport.update("job-1", adopted, { ...inputs, jobId: "job-1" }, context));
      expect(failure).toMatchObject({ id: "job-1", state: { status, __adopted: true } });
      expect(failure.message).toContain("checks the same job again, and starts no new job");
    }
    expect(platform.calls).toEqual(["get job-1", "get job-1"]);
  });

  it("is refused under another origin, and sends nothing", async () => {
    const { platform, context } = world({ origin: "https://other.example.com" });
    expect(await rejection(staticExport.update("job-1", running, inputs, context))).toBeInstanceOf(
      errors.PlatformOriginMismatchError,
    );
    expect(await rejection(staticExport.update("job-1", completed, inputs, context))).toBeInstanceOf(
      errors.PlatformOriginMismatchError,
    );
    expect(platform.calls).toEqual([]);
  });
});
