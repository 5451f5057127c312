import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { anError, look } from "../../support/engineTest";
import { sharedStack } from "../../support/sharedStack";
import { outputsOf, reference, writeProject, yaml } from "./hosts";
import { call, yamlSiteAndBundle } from "./yamlStack";

const domain = "docs.example.com";
const agentLook = expect.stringMatching(/^GET .*agent/);

describe("a message, a mirror and the functions, in one stack of the plugin", () => {
  let folder: string;
  const agentJobs = [{ projectId: "docs", id: "agent-1" }];
  const story = sharedStack({ agentTime: 600_000, agentJobs }, async ({ stack }) => {
    await yaml.prepare(stack);
    folder = join(stack.folder, "mirror");
  });

  /** The program, with these functions as its variables. */
  function declare(variables: Record<string, unknown> = {}, outputs: Record<string, unknown> = {}): void {
    const agent = { jobId: "agent-1", projectId: "docs", prompt: "Go on.", waitForCompletion: true, waitTimeout: "5s" };
    const site = reference("site", "jobId");
    const copy = { jobId: site, destination: `file://${folder}`, publicUrl: "https://cdn.example.com/docs" };
    writeProject(story.stack, "yaml", {
      resources: {
        ...yamlSiteAndBundle.resources,
        mirror: { type: "docs-platform:BundleMirror", properties: copy },
        // Its wait ends after everything else is made.
        message: {
          type: "docs-platform:AgentMessage",
          properties: agent,
          options: { dependsOn: [reference("mirror"), reference("bundle")] },
        },
      },
      variables,
      outputs: {
        ...outputs,
        ...outputsOf("message", ["status", "prompt"]),
        ...outputsOf("mirror", ["url", "sha256", "sizeBytes"]),
        ...outputsOf("bundle", ["bundleUrl"]),
      },
    });
  }

  it("are made by a run that ends early with the wait for the message", async () => {
    declare();
    const { code, output } = await story.stack.up();
    expect(code).toEqual(anError);
    expect(output).toContain("DOCS_WAIT_TIMEOUT");
    expect(readdirSync(folder).length).toBeGreaterThan(0);
  });

  it("go on with the wait in the next run, which sends no second message; its functions answer", async () => {
    const { stack, platform } = story;
    platform.agents.complete("agent-1");
    const { jobId } = platform.jobs.add({ domain, status: "completed" });
    const bundle = { bundleUrl: reference("bundle", "bundleUrl"), version: reference("bundle", "version") };
    const mirror = { url: reference("mirror", "url"), version: reference("mirror", "version") };
    declare(
      {
        found: call("getStaticExport", { jobId }),
        linked: call("helmValues", { bundle }),
        mirrored: call("helmValues", { mirror }),
        offered: call("featureAvailability", { deploymentType: "air-gapped" }),
      },
      {
        foundStatus: reference("found", "status"),
        linked: reference("linked"),
        mirrored: reference("mirrored"),
        search: reference("offered", "documentationSearch"),
        export: reference("offered", "staticExportBundle"),
      },
    );
    const { code, output, requests } = await stack.up();
    expect(code, output).toBe(0);
    expect([...requests].sort()).toEqual([agentLook, look(jobId)]);
    expect(platform.agents.get("agent-1")?.messages).toEqual(["Go on."]);
    // A public link is shown.
    expect(output).toContain("https://cdn.example.com/docs/");
    const outputs = await stack.outputs();
    const version = platform.jobs.list()[0]?.jobId;
    const values = (bundleUrl: unknown) => ({ staticExport: { enabled: true, bundleUrl, version } });
    expect(outputs).toMatchObject({
      status: "completed",
      prompt: "Go on.",
      foundStatus: "completed",
      search: "unavailable",
      export: "available",
      url: expect.stringMatching(/^https:\/\/cdn\.example\.com\/docs\//),
      linked: values(outputs.bundleUrl),
      mirrored: values(outputs.url),
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      sizeBytes: expect.any(Number),
    });
  });

  it("cost no request in a run in which nothing changed", async () => {
    declare();
    expect(await story.stack.up("--expect-no-changes")).toMatchObject({ code: 0, requests: [] });
  });

  it("cost a refresh one look at each job, and no message", async () => {
    const { stack, platform } = story;
    const { code, requests } = await stack.refresh();
    expect(code).toBe(0);
    expect([...requests].sort()).toEqual([agentLook, look(platform.jobs.list()[0]?.jobId)]);
    expect(platform.agents.get("agent-1")?.messages).toEqual(["Go on."]);
  });

  it("are removed by destroy without a request, the files of the mirror too", async () => {
    expect(await story.stack.destroy()).toMatchObject({ code: 0, requests: [] });
    expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([]);
  });
});
