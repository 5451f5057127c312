import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Platform } from "../../../simulator/index";
import type { EngineStack } from "../../support/engineStack";
import { anError, mint, start, tally, testPlatform, testStack } from "../../support/engineTest";

async function exampleStack(platform: Platform, name: string): Promise<EngineStack> {
  const stack = await testStack(platform, {});
  stack.useExample(name);
  return stack;
}

/** The number of requests that started an export. */
const starts = (requests: readonly string[]) => tally(requests)[start] ?? 0;

describe("the feature gate example", () => {
  it("refuses in the preview a stack that asks for what its deployment does not offer", async () => {
    const stack = await exampleStack(await testPlatform(), "featureGate");
    const asking = (feature: string) => [
      "--config-path",
      ...["domain=docs.example.com", "deploymentType=air-gapped", `features[0]=${feature}`].flatMap((setting) => [
        "--config",
        setting,
      ]),
    ];
    const refused = await stack.preview(...asking("aiAssistant"));
    expect(refused).toMatchObject({ code: anError, requests: [] });
    expect(refused.output).toContain("a deployment of type air-gapped does not offer aiAssistant");
    expect(await stack.up(...asking("apiPlayground"))).toMatchObject({ code: 0 });
  });
});

describe("the example of pinned environments", () => {
  it("promotes and rolls back by one setting, and production never starts an export", async () => {
    const platform = await testPlatform();
    const stack = await exampleStack(platform, "pinnedEnvironments");
    /** Returns the requests that `pulumi config set` of one setting and `pulumi up` have sent. */
    const upWith = async (environment: string, setting: string) => {
      const { code, requests } = await stack.up("--stack", environment, "--config", setting);
      return { code, starts: starts(requests), links: requests.filter((request) => request.endsWith("/bundle")) };
    };
    expect(await upWith("test", "revision=1")).toMatchObject({ code: 0, starts: 1 });
    const first = platform.jobs.list()[0]?.jobId;

    await stack.pulumi("stack", "init", "production", "--no-select");
    const unpinned = await stack.preview("--stack", "production");
    expect(unpinned).toMatchObject({ code: anError, requests: [] });
    expect(unpinned.output).toContain("pulumi config set jobId");
    expect(await upWith("production", `jobId=${first}`)).toEqual({ code: 0, starts: 0, links: [mint(first)] });

    expect(await upWith("test", "revision=2")).toMatchObject({ code: 0, starts: 1 });
    const second = platform.jobs.list().find(({ jobId }) => jobId !== first)?.jobId;
    expect(await upWith("production", `jobId=${second}`)).toEqual({ code: 0, starts: 0, links: [mint(second)] });
    expect(await upWith("production", `jobId=${first}`)).toEqual({ code: 0, starts: 0, links: [mint(first)] });
  });
});

describe("the example of scheduled renewal", () => {
  it("takes twice the interval as margin, and tells the longest interval that fits the link's life", async () => {
    const platform = await testPlatform({ linkLife: 41 * 60_000 });
    const stack = await exampleStack(platform, "scheduledRenewal");
    const { code, output } = await stack.up("--config", "everyMinutes=10");
    expect({ code, warned: output.includes("more than half") }).toEqual({ code: 0, warned: false });
    expect(await stack.outputs()).toMatchObject({ longestInterval: "10m" });
    expect((await stack.state("bundle"))?.inputs).toMatchObject({ renewBefore: "20m" });
    expect(await stack.up("--expect-no-changes")).toMatchObject({ code: 0, requests: [] });
  });
});

describe("the example of several sites", () => {
  it("starts an export for each domain, and for one that is added only that one", async () => {
    const stack = await exampleStack(await testPlatform(), "severalSites");
    const first = await stack.up();
    expect({ code: first.code, starts: starts(first.requests) }).toEqual({ code: 0, starts: 2 });
    const settings = ["docs.example.com", "help.example.com", "api.example.com"].flatMap((domain, index) => [
      "--config",
      `domains[${index}]=${domain}`,
    ]);
    const second = await stack.up("--config-path", ...settings);
    expect({ code: second.code, starts: starts(second.requests) }).toEqual({ code: 0, starts: 1 });
    expect(second.output).toMatch(/\+ 2 created\s+5 unchanged/);
    expect(Object.keys((await stack.outputs()).sites ?? {})).toHaveLength(3);
  });
});

describe("the pipeline's example", () => {
  it("exports each revision once", async () => {
    const stack = await exampleStack(await testPlatform(), "pipeline");
    expect(starts((await stack.up("--config", "revision=a1")).requests)).toBe(1);
    expect(await stack.up("--expect-no-changes")).toMatchObject({ code: 0, requests: [] });
    expect(starts((await stack.up("--config", "revision=b2")).requests)).toBe(1);
  });
});

describe("the example of an agent's follow-up", () => {
  it("sends its message once, waits for the pull request, and sends a changed one once more", async () => {
    const platform = await testPlatform({ agentTime: 200, agentJobs: [{ projectId: "docs", id: "job-1" }] });
    const stack = await exampleStack(platform, "agentFollowUp");
    const messages = () => platform.agents.get("job-1")?.messages;
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(await stack.outputs()).toMatchObject({ status: "completed", pullRequest: expect.stringMatching(/^https:/) });
    expect(await stack.up("--expect-no-changes")).toMatchObject({ code: 0, requests: [] });
    expect(await stack.up("--config", "prompt=Now the pictures.")).toMatchObject({ code: 0 });
    expect(messages()).toEqual(["Mend the broken links of the last build.", "Now the pictures."]);
  });
});

describe("the example of an air gap", () => {
  it("carries a bundle over on a disk, and deploys it inside without a key and without a request", async () => {
    const platform = await testPlatform();
    const stack = await exampleStack(platform, "airGap");
    const disk = join(stack.folder, "disk");
    expect(await stack.up("--config", `disk=${disk}`)).toMatchObject({ code: 0 });
    const { version, sha256 } = await stack.outputs();

    const inside = await exampleStack(platform, "airGap/inside");
    inside.environment.DOCS_PLATFORM_API_KEY = undefined;
    inside.environment.DOCS_PLATFORM_BASE_URL = undefined;
    const settings = { disk, version, sha256, served: join(inside.folder, "served") };
    const flags = Object.entries(settings).flatMap(([name, value]) => ["--config", `${name}=${value}`]);
    expect(await inside.up(...flags)).toMatchObject({ code: 0, requests: [] });
    const archive = `${version}.tar.gz`;
    const values = { enabled: true, bundleUrl: `https://files.internal/docs/${archive}`, version };
    expect(await inside.outputs()).toEqual({ values: { staticExport: values } });
    expect(readdirSync(settings.served)).toEqual([archive]);

    // The manifest on the disk may claim any name for the archive. Only the copied bytes are checked.
    const before = readFileSync(join(settings.served, archive));
    writeFileSync(join(disk, `${version}.json`), JSON.stringify({ file: "../../outside.tar.gz" }));
    appendFileSync(join(disk, archive), "one byte more");
    const refused = await inside.up();
    expect(refused).toMatchObject({ code: anError, requests: [] });
    expect(refused.output).toContain("another one is pinned: it is not deployed");
    expect(readdirSync(settings.served)).toEqual([archive]);
    expect(readFileSync(join(settings.served, archive)).equals(before)).toBe(true);
  });
});
