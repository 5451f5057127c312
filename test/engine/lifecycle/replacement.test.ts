import { describe, expect, it } from "vitest";
import { look, mint, siteAndBundle, stackAfterUp, start, tally, testPlatform } from "../../support/engineTest";

describe("a replacement", () => {
  it("comes with a change of triggers and of domain, each by one start, and not with another order of the keys", async () => {
    const platform = await testPlatform({ jobTime: 0 });
    const domain = "docs.example.com";
    const stack = await stackAfterUp(platform, {
      ...siteAndBundle,
      site: { domain, triggers: { a: 1, b: { c: [1, 2], d: null } } },
    });
    stack.declare({ ...siteAndBundle, site: { domain, triggers: { b: { d: null, c: [1, 2] }, a: 1 } } });
    expect(await stack.up("--expect-no-changes")).toMatchObject({ code: 0, requests: [] });

    for (const site of [
      { domain, triggers: { a: 2 } },
      { domain: "docs.example.org", triggers: { a: 2 } },
    ]) {
      const old = (await stack.state("site"))?.id;
      stack.declare({ ...siteAndBundle, site });
      expect(await stack.preview()).toMatchObject({ code: 0, requests: [] });
      const { code, requests } = await stack.up();
      const { jobId, bundleUrl } = await stack.outputs();
      expect(code).toBe(0);
      expect(jobId).not.toBe(old);
      expect(tally(requests)).toEqual({ [start]: 1, [look(jobId)]: 1, [mint(jobId)]: 1 });
      expect(bundleUrl).toContain(jobId);
    }
    expect(await stack.up("--expect-no-changes")).toMatchObject({ code: 0, requests: [] });
  });
});
