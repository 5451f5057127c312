import { describe, expect, it } from "vitest";
import { look, mint, siteAndBundle, stackAfterUp, start, tally, testPlatform } from "../support/engineTest";

describe("a replacement", () => {
  it.each([
    ["domain", { domain: "docs.example.org" }],
    ["triggers", { domain: "docs.example.com", triggers: { revision: 2, pages: ["a", "b"] } }],
  ])("comes with a change of %s: one start, the polls, one bundle", async (_, site) => {
    const platform = await testPlatform({ jobTime: 0 });
    const before = { domain: "docs.example.com", triggers: { pages: ["a", "b"], revision: 1 } };
    const stack = await stackAfterUp(platform, { ...siteAndBundle, site: before });
    const { jobId: old } = await stack.outputs();
    stack.declare({ ...siteAndBundle, site });
    expect(await stack.preview()).toMatchObject({ code: 0, requests: [] });
    const { code, requests } = await stack.up();
    const { jobId, bundleUrl } = await stack.outputs();
    expect(code).toBe(0);
    expect(jobId).not.toBe(old);
    expect(tally(requests)).toEqual({ [start]: 1, [look(jobId)]: 1, [mint(jobId)]: 1 });
    expect(bundleUrl).toContain(jobId);
    expect(await stack.up("--expect-no-changes")).toMatchObject({ code: 0, requests: [] });
  });

  it("does not come with another order of the keys in triggers", async () => {
    const site = { domain: "docs.example.com", triggers: { a: 1, b: { c: [1, 2], d: null } } };
    const stack = await stackAfterUp(await testPlatform(), { ...siteAndBundle, site });
    stack.declare({ ...siteAndBundle, site: { ...site, triggers: { b: { d: null, c: [1, 2] }, a: 1 } } });
    expect(await stack.up()).toMatchObject({ code: 0, requests: [] });
  });
});
