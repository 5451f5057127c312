import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { anError, testPlatform } from "../support/engineTest";
import { outputsOf, reference, writeProject } from "./hosts";
import { call, siteAndBundle, yamlStack } from "./yamlStack";

const message = (properties: object) => ({
  resources: {
    message: { type: "docs-platform:AgentMessage", properties: { jobId: "agent-1", projectId: "docs", ...properties } },
  },
  outputs: outputsOf("message", ["status", "prompt"]),
});

describe("a message in the plugin", () => {
  it("is sent once, also where its wait ended before the agent did, and never by a refresh", async () => {
    const agentJobs = [{ projectId: "docs", id: "agent-1" }];
    const platform = await testPlatform({ agentTime: 600_000, agentJobs });
    const program = message({ prompt: "Go on.", waitForCompletion: true, waitTimeout: "1s" });
    const stack = await yamlStack(platform, program);
    expect((await stack.up()).code).toEqual(anError);
    platform.agents.complete("agent-1");
    expect(await stack.up()).toMatchObject({ code: 0, requests: [expect.stringMatching(/^GET /)] });
    expect(await stack.up("--expect-no-changes")).toMatchObject({ code: 0, requests: [] });
    expect(await stack.refresh()).toMatchObject({ code: 0, requests: [expect.stringMatching(/^GET /)] });
    expect(await stack.outputs()).toMatchObject({ status: "completed", prompt: "Go on." });
    expect(platform.agents.get("agent-1")?.messages).toEqual(["Go on."]);
  });
});

describe("a mirror in the plugin", () => {
  it("is made once, gives values that anybody may read, and is removed by destroy", async () => {
    const platform = await testPlatform();
    const stack = await yamlStack(platform);
    const { site } = siteAndBundle.resources ?? {};
    const folder = join(stack.folder, "mirror");
    const mirror = {
      type: "docs-platform:BundleMirror",
      properties: {
        jobId: reference("site", "jobId"),
        destination: `file://${folder}`,
        publicUrl: "https://cdn.example.com/docs",
      },
    };
    const from = { url: reference("mirror", "url"), version: reference("mirror", "version") };
    writeProject(stack, "yaml", {
      resources: { site, mirror },
      variables: { values: call("helmValues", { mirror: from }) },
      outputs: { values: reference("values"), ...outputsOf("mirror", ["url", "sha256", "sizeBytes"]) },
    });
    const first = await stack.up();
    expect(first.code, first.output).toBe(0);
    expect(first.output).toContain("https://cdn.example.com/docs/");
    const { values, url, sha256, sizeBytes } = await stack.outputs();
    const version = platform.jobs.list()[0]?.jobId;
    expect(values).toEqual({ staticExport: { enabled: true, bundleUrl: url, version } });
    expect({ sha256, sizeBytes }).toEqual({
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      sizeBytes: expect.any(Number),
    });
    expect(readdirSync(folder).length).toBeGreaterThan(0);
    expect(await stack.up("--expect-no-changes")).toMatchObject({ code: 0, requests: [] });
    expect(await stack.destroy()).toMatchObject({ code: 0, requests: [] });
    expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([]);
  });
});
