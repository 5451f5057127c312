import { describe, expect, it } from "vitest";
import type { Platform } from "../../simulator/index";
import { mint, requestsTo, testPlatform } from "../support/engineTest";
import { until } from "../support/fixtures/kills";
import { ProviderProcess } from "../support/providerProcess";

/** A bundle of a completed job, whose link is verified. */
async function verifiedBundle() {
  const platform = await testPlatform();
  const { jobId } = platform.jobs.add({ domain: "docs.example.com", status: "completed" });
  const provider = await ProviderProcess.start(platform);
  const bundle = provider.resource("ExportBundle", "bundle");
  const { inputs } = await bundle.check({ jobId, verifyLink: true });
  return { platform, jobId, provider, bundle, inputs };
}

const answer = (platform: Platform, status: number, count = 1) =>
  platform.inject({ operation: "download", kind: "status", status, count });

const probesOf = (platform: Platform) => platform.requests.filter(({ operation }) => operation === "download");
const mintsOf = (platform: Platform) => requestsTo(platform).filter((request) => request.endsWith("/bundle"));

describe("verifyLink", () => {
  it("asks the storage for one byte at each mint, and never with the key", async () => {
    const { platform, jobId, bundle, inputs } = await verifiedBundle();
    const saved = await bundle.create(inputs);
    expect(mintsOf(platform)).toEqual([mint(jobId)]);
    expect(probesOf(platform)).toMatchObject([{ status: 206, authorized: false }]);
    expect(await bundle.diff(saved, inputs)).toEqual({ changes: false, replaces: [] });
    expect(requestsTo(platform)).toHaveLength(2);
  });

  it("warns where the storage answers neither yes nor no, and keeps the link", async () => {
    const { platform, jobId, provider, bundle, inputs } = await verifiedBundle();
    answer(platform, 404);
    expect(await bundle.create(inputs)).toMatchObject({ id: jobId });
    await until(() => provider.warnings.length > 0);
    expect(provider.warnings.join()).toContain("the link could not be verified: the storage gave HTTP 404");
    expect([mintsOf(platform).length, probesOf(platform).length]).toEqual([1, 1]);
  });

  it("is DOCS_LINK_REFUSED where the storage refuses two in a row: nothing is saved, and the next run tries again", async () => {
    const { platform, jobId, bundle, inputs } = await verifiedBundle();
    answer(platform, 403, 2);
    await expect(bundle.create(inputs)).rejects.toMatchObject({
      message: expect.stringContaining("DOCS_LINK_REFUSED"),
      saved: undefined,
    });
    expect([mintsOf(platform).length, probesOf(platform).length]).toEqual([2, 2]);
    expect(await bundle.create(inputs)).toMatchObject({ id: jobId });
  });
});
