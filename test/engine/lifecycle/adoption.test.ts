import { describe, expect, it } from "vitest";
import { variant } from "../../support/campaign";
import { look, mint, siteAndBundle, stackAfterUp, start, testPlatform, testStack } from "../../support/engineTest";

const domain = "docs.example.com";
const pinned = (jobId: unknown) => ({ ...siteAndBundle, site: { domain, jobId } });

describe("jobId", () => {
  // test/protocol/adoption.test.ts holds the text of each failure of an adoption.
  it("adopts a job that runs without a start, waits for it, keeps it while it is taken away and set again, and changes to another one and back", async () => {
    const platform = await testPlatform({ dialect: { times: false, extraFields: false } });
    platform.jobTime = 600_000;
    const first = platform.jobs.add({ domain }).jobId;
    const other = platform.jobs.add({ domain, status: "completed" }).jobId;
    platform.on("request", ({ operation }) => operation === "getExport" && platform.jobs.complete(first));
    const stack = await testStack(platform, pinned(first));
    const { code, output, requests } = await stack.up();
    expect(code, output).toBe(0);
    expect(requests).toEqual([look(first), look(first), mint(first)]);
    const { startedAt, completedAt, ...outputs } = await stack.outputs();
    expect(outputs).toMatchObject({ jobId: first, status: "completed", version: first });
    // If an adopted job tells no times, none are made up.
    expect([startedAt, completedAt]).toEqual([undefined, undefined]);

    for (const declared of [pinned(first), siteAndBundle]) {
      stack.declare(declared);
      expect(await stack.up("--expect-no-changes")).toMatchObject({ code: 0, requests: [] });
    }
    for (const jobId of [other, first]) {
      stack.declare(pinned(jobId));
      expect(await stack.up()).toMatchObject({ code: 0, requests: [look(jobId), mint(jobId)] });
      expect(await stack.outputs()).toMatchObject({ jobId, version: jobId });
    }
    expect(platform.starts).toBe(0);
  });

  it("set to the job of our own that is held, pins it: nothing happens", async () => {
    const stack = await stackAfterUp(await testPlatform());
    stack.declare(pinned((await stack.state("site"))?.id));
    expect(await stack.up("--expect-no-changes")).toMatchObject({ code: 0, requests: [] });
  });

  variant(
    "of a job that fails while it is adopted, is an error at each run, also when it is taken away; triggers start a new one",
    async () => {
      const platform = await testPlatform({ jobTime: 60_000 });
      const { jobId } = platform.jobs.add({ domain });
      const stack = await testStack(platform, { site: { domain, jobId, waitTimeout: "5s" } });
      expect((await stack.up()).output).toContain("DOCS_WAIT_TIMEOUT");
      platform.jobs.fail(jobId, "out of disk");
      expect((await stack.up()).output).toContain("DOCS_JOB_FAILED");
      stack.declare({ site: { domain } });
      expect((await stack.up()).output).toContain("DOCS_JOB_FAILED");
      expect(platform.starts).toBe(0);
      platform.jobTime = 0;
      stack.declare({ site: { domain, triggers: "new" } });
      expect((await stack.up()).requests[0]).toBe(start);
      expect(await stack.outputs()).toMatchObject({ status: "completed" });
    },
  );
});
