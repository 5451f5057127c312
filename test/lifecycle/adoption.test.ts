import { describe, expect, it } from "vitest";
import { variant } from "../support/campaign";
import {
  anError,
  look,
  mint,
  siteAndBundle,
  stackAfterUp,
  start,
  testPlatform,
  testStack,
} from "../support/engineTest";

const domain = "docs.example.com";
const pinned = (jobId: unknown) => ({ ...siteAndBundle, site: { domain, jobId } });

describe("jobId", () => {
  it("adopts a completed job: no start, one look, one bundle", async () => {
    const platform = await testPlatform({ dialect: { times: false, extraFields: false } });
    const { jobId } = platform.jobs.add({ domain, status: "completed" });
    const stack = await testStack(platform, pinned(jobId));
    expect(await stack.up()).toMatchObject({ code: 0, requests: [look(jobId), mint(jobId)] });
    const { startedAt, completedAt, ...outputs } = await stack.outputs();
    expect(outputs).toMatchObject({ jobId, status: "completed", version: jobId });
    // Times that an adopted job does not tell are not made up.
    expect([startedAt, completedAt]).toEqual([undefined, undefined]);
    expect(await stack.up("--expect-no-changes")).toMatchObject({ code: 0, requests: [] });
  });

  it("adopts a running job and waits for it", async () => {
    const platform = await testPlatform({ jobTime: 2_000 });
    const { jobId } = platform.jobs.add({ domain });
    const stack = await stackAfterUp(platform, pinned(jobId));
    expect(await stack.outputs()).toMatchObject({ jobId, status: "completed" });
    expect(platform.starts).toBe(0);
  });

  it("set to the job that is held, pins it: nothing happens", async () => {
    const stack = await stackAfterUp(await testPlatform());
    const { jobId } = await stack.outputs();
    stack.declare(pinned(jobId));
    expect(await stack.up("--expect-no-changes")).toMatchObject({ code: 0, requests: [] });
  });

  it("taken away, keeps the job that is held, adopted or not", async () => {
    const platform = await testPlatform();
    const { jobId } = platform.jobs.add({ domain, status: "completed" });
    const stack = await stackAfterUp(platform, pinned(jobId));
    stack.declare(siteAndBundle);
    expect(await stack.up("--expect-no-changes")).toMatchObject({ code: 0, requests: [] });
    expect(await stack.outputs()).toMatchObject({ jobId });
  });

  it("set to another job, replaces by adoption: no start; and back again", async () => {
    const platform = await testPlatform();
    const stack = await stackAfterUp(platform);
    const { jobId: own } = await stack.outputs();
    const { jobId: other } = platform.jobs.add({ domain, status: "completed" });
    for (const jobId of [other, own]) {
      stack.declare(pinned(jobId));
      expect(await stack.up()).toMatchObject({ code: 0, requests: [look(jobId), mint(jobId)] });
      expect(await stack.outputs()).toMatchObject({ jobId, version: jobId });
    }
  });

  it("of a job that the platform does not know, is an error at each run, and never a start", async () => {
    const platform = await testPlatform();
    const stack = await testStack(platform, pinned("unheard-of"));
    for (const _ of [1, 2]) {
      const { code, output, requests } = await stack.up();
      expect({ code, requests }).toEqual({ code: anError, requests: [look("unheard-of")] });
      expect(output).toMatch(/DOCS_NOT_FOUND: .*unheard-of/);
    }
    expect(await stack.state("site")).toBeUndefined();
  });

  it("of a failed job, is an error at each run, and never a start", async () => {
    const platform = await testPlatform();
    const { jobId } = platform.jobs.add({ domain, status: "failed" });
    platform.jobs.fail(jobId, "page /a has no title");
    const stack = await testStack(platform, pinned(jobId));
    for (const _ of [1, 2]) {
      const { code, output, requests } = await stack.up();
      expect({ code, requests }).toEqual({ code: anError, requests: [look(jobId)] });
      expect(output).toMatch(/DOCS_JOB_FAILED: .*page \/a has no title/);
    }
  });

  variant(
    "of a job that fails while it is adopted, is an error at each run, also when it is taken away; triggers start a new one",
    async () => {
      const platform = await testPlatform({ jobTime: 60_000 });
      const { jobId } = platform.jobs.add({ domain });
      const stack = await testStack(platform, { site: { domain, jobId, waitTimeout: "1s" } });
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

  it("of a job of another domain, is refused with both domains", async () => {
    const platform = await testPlatform();
    const { jobId } = platform.jobs.add({ domain: "other.example.com", status: "completed" });
    platform.inject({
      operation: "getExport",
      kind: "body",
      body: { status: "completed", domain: "other.example.com" },
    });
    const { code, output } = await (await testStack(platform, pinned(jobId))).up();
    expect(code).not.toBe(0);
    expect(output).toMatch(/DOCS_ADOPTION: .*other\.example\.com, not of docs\.example\.com/);
  });
});
