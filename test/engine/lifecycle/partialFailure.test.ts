import { describe, expect, it } from "vitest";
import { variant } from "../../support/campaign";
import { anError, look, siteAndBundle, start, tally, testPlatform, testStack } from "../../support/engineTest";

const wrongKey = "svc_rotated-0123456789";

// Other ends of a wait: test/protocol/partialFailure.test.ts.
describe("a wait that is ended by", () => {
  it("a key that was rotated, keeps the job, also through a refresh, and starts none afterwards", async () => {
    const platform = await testPlatform({ jobTime: 600_000 });
    const stack = await testStack(platform);
    stack.environment.DOCS_PLATFORM_MAX_RETRIES = "0";
    platform.on("request", ({ operation }) => {
      if (operation === "getExport") {
        platform.apiKey = wrongKey;
      }
    });
    const failed = await stack.up();
    const jobId = String(platform.jobs.list()[0]?.jobId);
    expect(failed.code).toEqual(anError);
    expect(tally(failed.requests)).toEqual({ [start]: 1, [look(jobId)]: 2 });
    expect(failed.output).toContain("DOCS_AUTHENTICATION");
    expect(failed.output).toContain(`Exists now: export job ${jobId}, last seen "running"`);
    expect(failed.output).toContain("goes on waiting for this job, and starts none");
    expect(await stack.state("site")).toMatchObject({ id: jobId, outputs: { jobId, status: "running" } });

    stack.environment.DOCS_PLATFORM_API_KEY = wrongKey;
    expect(await stack.refresh()).toMatchObject({ code: 0, requests: [look(jobId)] });
    platform.jobs.complete(jobId);
    expect(await stack.up()).toMatchObject({ code: 0, requests: [look(jobId), expect.stringContaining("/bundle")] });
    expect(await stack.outputs()).toMatchObject({ jobId, status: "completed", version: jobId });
    expect(platform.starts).toBe(1);
    expect(await stack.up("--expect-no-changes")).toMatchObject({ code: 0, requests: [] });
  });

  variant("a second failure in the run after, still keeps the job", async () => {
    const platform = await testPlatform({ jobTime: 600_000 });
    const stack = await testStack(platform, { site: siteAndBundle.site ?? {} });
    stack.environment.DOCS_PLATFORM_MAX_RETRIES = "0";
    platform.inject({ operation: "getExport", kind: "reset", count: 2 });
    expect((await stack.up()).code).toEqual(anError);
    const again = await stack.up();
    const jobId = String(platform.jobs.list()[0]?.jobId);
    expect({ code: again.code, requests: again.requests }).toEqual({ code: anError, requests: [look(jobId)] });
    expect(await stack.state("site")).toMatchObject({ id: jobId, outputs: { jobId } });
    platform.jobs.complete(jobId);
    expect(await stack.up()).toMatchObject({ code: 0, requests: [look(jobId)] });
    expect(platform.starts).toBe(1);
  });
});
