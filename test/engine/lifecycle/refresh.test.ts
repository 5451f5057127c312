import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { EngineStack } from "../../support/engineStack";
import { anError, look, mint, stackAfterUp, stackLine, testPlatform } from "../../support/engineTest";

/**
 * The parts that must survive a failed refresh. The engine encrypts secrets again at each write, so they are left out.
 */
async function kept(stack: EngineStack) {
  const resources = (await stack.resources()).map(({ urn, id, inputs }) => ({ urn, id, inputs }));
  return { resources, outputs: await stack.outputs() };
}

describe("refresh", () => {
  it("renews a link that is no longer good by one request, and then costs one GET an export and changes nothing", async () => {
    const platform = await testPlatform({ linkLife: 500 });
    const stack = await stackAfterUp(platform);
    platform.linkLife = 600_000;
    await sleep(500);
    const renewed = await stack.refresh();
    const before = await stack.outputs();
    const { jobId } = before;
    expect({ code: renewed.code, requests: renewed.requests.toSorted() }).toEqual({
      code: 0,
      requests: [look(jobId), mint(jobId)].toSorted(),
    });
    expect(await stack.up()).toMatchObject({ code: 0, requests: [] });
    const renewedOutputs = await stack.outputs();
    expect(renewedOutputs.bundleUrl).not.toBe(before.bundleUrl);
    // A refresh with a preview reads twice.
    const { code, requests } = await stack.pulumi("refresh", "--yes", "--expect-no-changes");
    expect({ code, requests }).toEqual({ code: 0, requests: [look(jobId), look(jobId)] });
    expect(await stack.outputs()).toEqual(renewedOutputs);
    expect(await stack.up("--expect-no-changes")).toMatchObject({ code: 0, requests: [] });
  });

  it("that the platform does not answer, or under another base URL, keeps everything and shows no stack", async () => {
    const platform = await testPlatform();
    const other = await testPlatform();
    const stack = await stackAfterUp(platform);
    const before = await kept(stack);
    const body = JSON.stringify({ error: "read scope is missing" });
    platform.inject({ operation: "getExport", kind: "status", status: 403, body });
    const refused = await stack.refresh();
    expect(refused.code).toEqual(anError);
    expect(refused.output).toMatch(/DOCS_PERMISSION: .*read scope is missing/);
    expect(refused.output).not.toMatch(stackLine);
    expect(await kept(stack)).toEqual(before);

    Object.assign(stack.environment, { DOCS_PLATFORM_BASE_URL: other.baseUrl, DOCS_PLATFORM_API_KEY: other.apiKey });
    const { code, output } = await stack.refresh();
    expect(code).toEqual(anError);
    expect(output).toContain("DOCS_ORIGIN");
    expect(output).toContain(platform.baseUrl);
    expect(output).toContain(other.baseUrl);
    expect(output).not.toMatch(stackLine);
    expect(other.requests).toEqual([]);
    expect(await kept(stack)).toEqual(before);
  });

  it("drops a job that the platform no longer knows; the next run starts a new one", async () => {
    const platform = await testPlatform();
    const stack = await stackAfterUp(platform, { site: { domain: "docs.example.com" } });
    const jobId = (await stack.state("site"))?.id;
    platform.jobs.forget(String(jobId));
    expect(await stack.refresh()).toMatchObject({ code: 0, requests: [look(jobId)] });
    expect(await stack.state("site")).toBeUndefined();
    platform.resetCounts();
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(platform.starts).toBe(1);
  });
});
