import { describe, expect, it } from "vitest";
import { mint, requestsTo, testPlatform } from "../support/engineTest";
import { DynamicProviderProcess } from "../support/protocol/dynamicProvider";
import { until } from "../support/until";

const domain = "docs.example.com";

describe("a link", () => {
  it("with a margin of more than half of its life gives one warning with both figures, and is not due at once", async () => {
    const platform = await testPlatform({ linkLife: 120_000 });
    const { jobId } = platform.jobs.add({ domain, status: "completed" });
    const provider = await DynamicProviderProcess.start(platform);
    const bundle = provider.resource("ExportBundle", "bundle");
    const { inputs } = await bundle.check({ jobId, renewBefore: "10m" });
    const saved = await bundle.create(inputs);
    await until(() => provider.warnings.length > 0);
    expect(provider.warnings).toEqual([
      expect.stringContaining(
        "renewBefore (10m) is more than half of the link's life (2m); the link is renewed 1m before",
      ),
    ]);
    expect(await bundle.diff(saved, inputs)).toEqual({ changes: false, replaces: [] });
    expect(requestsTo(platform)).toEqual([mint(jobId)]);
  });

  it("is not renewed in the first half of its life, however wide the margin is made", async () => {
    const platform = await testPlatform({ linkLife: 600_000 });
    const { jobId } = platform.jobs.add({ domain, status: "completed" });
    const bundle = (await DynamicProviderProcess.start(platform)).resource("ExportBundle", "bundle");
    const { inputs } = await bundle.check({ jobId, renewBefore: "1s" });
    const saved = await bundle.create(inputs);
    const wider = { ...inputs, renewBefore: "24h" };
    expect(await bundle.diff(saved, wider)).toEqual({ changes: true, replaces: [] });
    const updated = await bundle.update(saved, wider);
    expect(updated.properties).toMatchObject({ renewBefore: "24h", bundleUrl: saved.properties.bundleUrl });
    expect(await bundle.diff(updated, wider)).toEqual({ changes: false, replaces: [] });
    expect(requestsTo(platform)).toEqual([mint(jobId)]);
  });

  it("that is expired when it is minted is an error that saves nothing, and the next run tries again", async () => {
    const platform = await testPlatform();
    const { jobId } = platform.jobs.add({ domain, status: "completed" });
    const body = { bundleUrl: "https://bundles.example.com/x?Signature=SIGNED", expiresAt: "2020-01-01T00:00:00Z" };
    platform.inject({ operation: "createBundle", kind: "body", body });
    const bundle = (await DynamicProviderProcess.start(platform)).resource("ExportBundle", "bundle");
    const { inputs } = await bundle.check({ jobId });
    const refused = await bundle.create(inputs).catch((error) => error);
    expect(refused).toMatchObject({ message: expect.stringContaining("DOCS_LINK_EXPIRED"), saved: undefined });
    expect(refused.message).not.toContain("SIGNED");
    expect(await bundle.create(inputs)).toMatchObject({ id: jobId });
    expect(requestsTo(platform)).toEqual([mint(jobId), mint(jobId)]);
  });
});
