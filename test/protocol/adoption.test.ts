import { describe, expect, it } from "vitest";
import { look, requestsTo, testPlatform } from "../support/engineTest";
import { DynamicProviderProcess } from "../support/protocol/dynamicProvider";

const domain = "docs.example.com";

describe("jobId", () => {
  it("of a job that the platform does not know is an error at each run: nothing is saved, and nothing started", async () => {
    const platform = await testPlatform();
    const site = (await DynamicProviderProcess.start(platform)).resource("StaticExport");
    for (const looks of [1, 2]) {
      const { inputs } = await site.check({ domain, jobId: "unheard-of" });
      await expect(site.create(inputs)).rejects.toMatchObject({
        message: expect.stringMatching(/DOCS_NOT_FOUND: .*unheard-of/),
        saved: undefined,
      });
      expect(requestsTo(platform)).toEqual(Array(looks).fill(look("unheard-of")));
    }
  });

  it("of a failed job is an error at each run, with the platform's words: nothing is saved, and nothing started", async () => {
    const platform = await testPlatform();
    const { jobId } = platform.jobs.add({ domain, status: "failed" });
    platform.jobs.fail(jobId, "page /a has no title");
    const site = (await DynamicProviderProcess.start(platform)).resource("StaticExport");
    for (const looks of [1, 2]) {
      const { inputs } = await site.check({ domain, jobId });
      await expect(site.create(inputs)).rejects.toMatchObject({
        message: expect.stringMatching(/DOCS_JOB_FAILED: .*page \/a has no title/),
        saved: undefined,
      });
      expect(requestsTo(platform)).toEqual(Array(looks).fill(look(jobId)));
    }
  });

  it("of a job of another domain is refused with both domains", async () => {
    const platform = await testPlatform();
    const { jobId } = platform.jobs.add({ domain: "other.example.com", status: "completed" });
    const body = { status: "completed", domain: "other.example.com" };
    platform.inject({ operation: "getExport", kind: "body", body });
    const site = (await DynamicProviderProcess.start(platform)).resource("StaticExport");
    await expect(site.create({ domain, jobId })).rejects.toThrow(
      /DOCS_ADOPTION: .*other\.example\.com, not of docs\.example\.com/,
    );
  });
});
