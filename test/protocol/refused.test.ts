import { describe, expect, it } from "vitest";
import { requestsTo, start, testPlatform } from "../support/engineTest";
import { DynamicProviderProcess } from "../support/protocol/dynamicProvider";

const domain = "docs.example.com";

describe("a run that cannot begin", () => {
  it.each([
    ["https://docs.example.com", "contains a scheme"],
    ["", "is blank"],
  ])(
    "because of the domain %j is refused by check, which names the property and asks nothing",
    async (given, reason) => {
      const platform = await testPlatform();
      const site = (await DynamicProviderProcess.start(platform)).resource("StaticExport");
      const { failures } = await site.check({ domain: given });
      expect(failures).toEqual([{ property: "domain", reason: expect.stringContaining(reason) }]);
      expect(platform.requests).toEqual([]);
    },
  );

  it("because required inputs are undefined is refused by check of each resource, which names them", async () => {
    const provider = await DynamicProviderProcess.start(await testPlatform());
    for (const [kind, required] of [
      ["StaticExport", ["domain"]],
      ["ExportBundle", ["jobId"]],
      ["BundleMirror", ["jobId", "destination"]],
      ["AgentMessage", ["jobId", "projectId", "prompt"]],
    ] as const) {
      const { failures } = await provider.resource(kind).check({});
      expect(failures.map(({ property }) => property)).toEqual(required);
      expect(failures.map(({ reason }) => reason).join()).toContain("is required");
    }
  });

  it("because a mirror's destination is a path without a scheme is refused by check, which names the property", async () => {
    const mirror = (await DynamicProviderProcess.start(await testPlatform())).resource("BundleMirror", "mirror");
    const { failures } = await mirror.check({ jobId: "sej_1", destination: "mirrored/docs" });
    expect(failures).toEqual([
      { property: "destination", reason: expect.stringContaining("is a path without a scheme") },
    ]);
  });

  it("because the platform does not accept the key names the cause, and starts and saves nothing", async () => {
    const platform = await testPlatform();
    const environment = { DOCS_PLATFORM_API_KEY: "svc_wrong-and-secret" };
    const site = (await DynamicProviderProcess.start(platform, { environment })).resource("StaticExport");
    const refused = await site.create({ domain }).catch((error) => error);
    expect(refused).toMatchObject({ message: expect.stringContaining("DOCS_AUTHENTICATION"), saved: undefined });
    expect(refused.message).toContain("Exists now: no export job of docs.example.com was started.");
    expect(refused.message).not.toContain("wrong-and-secret");
    expect(requestsTo(platform)).toEqual([start]);
  });

  it("because the platform refuses the domain shows its code, and saves nothing", async () => {
    const platform = await testPlatform({ domains: ["docs.example.org"] });
    const site = (await DynamicProviderProcess.start(platform)).resource("StaticExport");
    await expect(site.create({ domain })).rejects.toMatchObject({
      message: expect.stringContaining("DOCS_REFUSED"),
      saved: undefined,
    });
    expect(requestsTo(platform)).toEqual([start]);
  });
});

describe("the base URL", () => {
  it("changed, is no change by itself, and makes an update refuse, naming both origins, without a request", async () => {
    const [platform, other] = [await testPlatform(), await testPlatform()];
    const { jobId } = platform.jobs.add({ domain, status: "completed" });
    const made = (await DynamicProviderProcess.start(platform)).resource("ExportBundle", "bundle");
    const { inputs } = await made.check({ jobId });
    const saved = await made.create(inputs);

    const moved = (await DynamicProviderProcess.start(other)).resource("ExportBundle", "bundle");
    expect(await moved.diff(saved, inputs)).toEqual({ changes: false, replaces: [] });
    const changed = { ...inputs, version: "v2" };
    expect(await moved.diff(saved, changed)).toEqual({ changes: true, replaces: [] });
    const refused = await moved.update(saved, changed).catch((error) => error);
    expect(refused.message).toContain("DOCS_ORIGIN");
    expect(refused.message).toContain(platform.baseUrl);
    expect(refused.message).toContain(other.baseUrl);
    expect(other.requests).toEqual([]);
  });
});
