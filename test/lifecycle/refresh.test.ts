import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { EngineStack } from "../support/engineStack";
import { look, mint, stackAfterUp, testPlatform } from "../support/engineTest";

/** What must outlive a refresh that failed; the engine encrypts secrets anew at each write. */
async function kept(stack: EngineStack) {
  const resources = (await stack.resources()).map(({ urn, id, inputs }) => ({ urn, id, inputs }));
  return { resources, outputs: await stack.outputs() };
}

describe("refresh", () => {
  it("costs one GET an export and nothing a good link, and changes no output", async () => {
    const stack = await stackAfterUp(await testPlatform());
    const before = await stack.outputs();
    expect(await stack.refresh("--expect-no-changes")).toMatchObject({ code: 0, requests: [look(before.jobId)] });
    expect(await stack.outputs()).toEqual(before);
    expect(await stack.up("--expect-no-changes")).toMatchObject({ code: 0, requests: [] });
  });

  it("with its preview reads twice", async () => {
    const stack = await stackAfterUp(await testPlatform());
    const { jobId } = await stack.outputs();
    const { code, requests } = await stack.pulumi("refresh", "--yes");
    expect({ code, requests }).toEqual({ code: 0, requests: [look(jobId), look(jobId)] });
  });

  it("renews a link that is no longer good, by one request", async () => {
    const platform = await testPlatform({ linkLife: 500 });
    const stack = await stackAfterUp(platform);
    const { jobId } = await stack.outputs();
    platform.linkLife = 600_000;
    await sleep(500);
    const { code, requests } = await stack.refresh();
    expect({ code, requests: requests.toSorted() }).toEqual({
      code: 0,
      requests: [look(jobId), mint(jobId)].toSorted(),
    });
    expect(await stack.up()).toMatchObject({ code: 0, requests: [] });
  });

  it("drops a job that the platform no longer knows; the next run starts a new one", async () => {
    const platform = await testPlatform();
    const stack = await stackAfterUp(platform, { site: { domain: "docs.example.com" } });
    const { jobId } = await stack.outputs();
    platform.jobs.forget(String(jobId));
    expect(await stack.refresh()).toMatchObject({ code: 0, requests: [look(jobId)] });
    expect(await stack.state("site")).toBeUndefined();
    platform.resetCounts();
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(platform.starts).toBe(1);
  });

  it("under another base URL keeps everything, names both origins, and shows no stack", async () => {
    const platform = await testPlatform();
    const other = await testPlatform();
    const stack = await stackAfterUp(platform);
    const before = await kept(stack);
    stack.environment.DOCS_PLATFORM_BASE_URL = other.baseUrl;
    stack.environment.DOCS_PLATFORM_API_KEY = other.apiKey;
    const { code, output } = await stack.refresh();
    expect(code).not.toBe(0);
    expect(output).toContain("DOCS_ORIGIN");
    expect(output).toContain(platform.baseUrl);
    expect(output).toContain(other.baseUrl);
    expect(output).not.toContain("    at ");
    expect(other.requests).toEqual([]);
    expect(await kept(stack)).toEqual(before);
  });

  it("that the platform does not answer leaves the state alone, and shows no stack", async () => {
    const platform = await testPlatform();
    const stack = await stackAfterUp(platform);
    const before = await kept(stack);
    platform.inject({
      operation: "getExport",
      kind: "status",
      status: 403,
      body: JSON.stringify({ error: "read scope is missing" }),
    });
    const { code, output } = await stack.refresh();
    expect(code).not.toBe(0);
    expect(output).toMatch(/DOCS_PERMISSION: .*read scope is missing/);
    expect(output).not.toContain("    at ");
    expect(await kept(stack)).toEqual(before);
  });
});
