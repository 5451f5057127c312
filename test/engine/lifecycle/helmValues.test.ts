import { describe, expect, it } from "vitest";
import { anError, testPlatform, testStack } from "../../support/engineTest";

describe("helmValues of a mirror", () => {
  it("stands in the stack's outputs in clear where the mirror's own address is used", async () => {
    const url = "https://cdn.example.com/docs/job-1.tar.gz";
    const stack = await testStack(await testPlatform(), { mirror: { version: "job-1", url } });
    const { code, output } = await stack.preview();
    expect(code).toBe(0);
    expect(output).toContain(url);
  });

  it("that is going to be a folder without publicUrl is refused in the preview, before anything is started", async () => {
    const copy = { destination: "file:///srv/docs" };
    const stack = await testStack(await testPlatform(), {
      site: { domain: "docs.example.com" },
      copy,
      copyValues: true,
    });
    const { code, output, requests } = await stack.preview();
    expect({ code, requests }, output).toEqual({ code: anError, requests: [] });
    expect(output).toContain("helmValues: the mirror is a folder on one machine: set its publicUrl");
    stack.declare({
      site: { domain: "docs.example.com" },
      copy: { ...copy, publicUrl: "https://cdn.example.com" },
      copyValues: true,
    });
    expect(await stack.preview()).toMatchObject({ code: 0, requests: [] });
  });
});
