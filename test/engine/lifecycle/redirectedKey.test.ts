import { describe, expect, it } from "vitest";
import { type DeclaredProgram, requestNameOf } from "../../support/engineStack";
import { look, siteAndBundle, testPlatform, testStack } from "../../support/engineTest";

const warning = /the key of DOCS_PLATFORM_API_KEY goes to http:\/\/127\.0\.0\.1:\d+, which docs-platform:baseUrl sets/g;

async function stackWith(
  place: { key: "environment" | "stack"; url: "environment" | "stack" },
  declared: DeclaredProgram,
) {
  const platform = await testPlatform();
  const { jobId } = platform.jobs.add({ domain: "docs.example.com", status: "completed" });
  const stack = await testStack(platform, declared.getExport ? { getExport: { jobId } } : declared);
  if (place.key === "stack") {
    stack.environment.DOCS_PLATFORM_API_KEY = "";
    await stack.pulumi("config", "set", "--secret", "docs-platform:apiKey", platform.apiKey);
  }
  if (place.url === "stack") {
    stack.environment.DOCS_PLATFORM_BASE_URL = "";
    await stack.pulumi("config", "set", "docs-platform:baseUrl", platform.baseUrl);
  }
  return { stack, platform, jobId };
}

describe("a key of the environment that the stack's configuration leads elsewhere", () => {
  it("is told once a run, in the preview already", async () => {
    const { stack } = await stackWith({ key: "environment", url: "stack" }, siteAndBundle);
    for (const run of [await stack.pulumi("preview"), await stack.up()]) {
      expect(run.code, run.output).toBe(0);
      expect(run.output.split("Diagnostics:")[1]?.match(warning)).toHaveLength(1);
    }
  });

  it("is told by a program that only looks a job up, which sends it in a preview too", async () => {
    const { stack, platform, jobId } = await stackWith({ key: "environment", url: "stack" }, { getExport: {} });
    const run = await stack.preview();
    expect(run.code, run.output).toBe(0);
    expect(run.output.match(warning)).toHaveLength(1);
    expect(platform.requests.map(requestNameOf)).toEqual([look(jobId)]);
  });
});
