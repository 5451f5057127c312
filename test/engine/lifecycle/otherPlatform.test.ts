import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { testPlatform, testStack } from "../../support/engineTest";

describe("another platform, whose job has the same id,", () => {
  it("gives the link and the site of that job where the export was replaced, and a warning where it was not", async () => {
    const [old, next] = [await testPlatform({ jobTime: 0 }), await testPlatform({ jobTime: 0 })];
    const stack = await testStack(old, {});
    const destination = pathToFileURL(join(stack.folder, "copies")).href;
    stack.declare({ site: { domain: "docs.example.com" }, bundle: {}, copy: { destination, layout: "site" } });
    expect((await stack.up()).code).toBe(0);
    const { jobId = "" } = old.jobs.list()[0] ?? {};
    next.jobs.add({ domain: "docs.example.com", jobId, status: "completed" });
    next.inject({ operation: "startExport", kind: "body", body: { jobId } });
    stack.environment.DOCS_PLATFORM_BASE_URL = next.baseUrl;
    stack.environment.DOCS_PLATFORM_API_KEY = next.apiKey;

    const kept = await stack.up();
    expect(kept).toMatchObject({ code: 0, requests: [] });
    expect(kept.output).toContain(`export job ${jobId} was of ${old.baseUrl}`);
    const { urn = "" } = (await stack.state("site")) ?? {};
    const { code, output } = await stack.up("--replace", urn);
    expect(code, output).toBe(0);
    expect((await stack.state("site"))?.outputs).toMatchObject({ jobId, __origin: next.baseUrl });
    for (const name of ["bundle", "copy"]) {
      expect((await stack.state(name))?.outputs, name).toMatchObject({ jobId, __origin: next.baseUrl });
    }
    expect(next.counts.createBundle).toBe(2);
    expect(await stack.up("--expect-no-changes")).toMatchObject({ code: 0, requests: [] });
  });
});
