import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { DeclaredProgram } from "../../support/engineStack";
import { mint, stackAfterUp, testPlatform } from "../../support/engineTest";

const nothing = { code: 0, requests: [] };

describe("renewal", () => {
  it("mints exactly one fresh link for the same job after expiry, and changes nothing else", async () => {
    const platform = await testPlatform({ linkLife: 1_000 });
    const stack = await stackAfterUp(platform);
    const before = await stack.outputs();
    await sleep(1_000);
    platform.linkLife = 600_000;
    const preview = await stack.start("preview", "--diff").ended;
    expect(preview).toMatchObject(nothing);
    expect(preview.output).toMatch(/~ 1 to update\s+2 unchanged/);
    // The engine gets the reason before it gets the change.
    expect(preview.output).toMatch(/\nlink ended \d+s ago: will be renewed\n +~ .*ExportBundle: \(update\)/);
    const renewed = await stack.up();
    expect(renewed).toMatchObject({ code: 0, requests: [mint(before.jobId)] });
    expect(renewed.output).toMatch(/~ 1 updated\s+2 unchanged/);
    expect(renewed.output).toMatch(/ExportBundle bundle updated \([\d.]+s\) link good for 10m/);
    const { bundleUrl, expiresAt, issuedAt, values, ...others } = await stack.outputs();
    expect(before).toMatchObject(others);
    expect([bundleUrl, expiresAt, issuedAt]).not.toContain(before.bundleUrl);
    expect(Date.parse(String(expiresAt))).toBeGreaterThan(Date.parse(String(before.expiresAt)));
    expect(values).toEqual({ staticExport: { enabled: true, bundleUrl, version: before.jobId } });
    expect(await stack.up()).toMatchObject(nothing);
  });

  it("a change of only renewBefore or version is an update in place that costs no request; of only waitTimeout, none", async () => {
    const stack = await stackAfterUp(await testPlatform());
    const before = await stack.outputs();
    const declared: DeclaredProgram = { site: { domain: "docs.example.com" }, bundle: {} };
    for (const [resource, change] of [
      ["bundle", { renewBefore: "1m" }],
      ["bundle", { version: "2026-11" }],
    ] as const) {
      Object.assign(declared[resource] ?? {}, change);
      stack.declare(declared);
      const { output, ...run } = await stack.up();
      expect(run).toEqual(nothing);
      expect(output).toMatch(/~ 1 updated/);
      expect((await stack.state(resource))?.outputs).toMatchObject(change);
    }
    Object.assign(declared.site ?? {}, { waitTimeout: "45m" });
    stack.declare(declared);
    expect(await stack.up("--expect-no-changes")).toMatchObject(nothing);
    expect((await stack.state("site"))?.inputs).toMatchObject({ waitTimeout: "45m" });
    expect((await stack.outputs()).bundleUrl).toBe(before.bundleUrl);
    expect(await stack.up("--expect-no-changes")).toMatchObject(nothing);
  });
});
