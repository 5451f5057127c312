import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Platform } from "../../../simulator/index";
import { projectRoot } from "../../../tools/projectRoot";
import type { EngineStack } from "../../support/engineStack";
import { testPlatform } from "../../support/engineTest";
import {
  addState,
  expectRefresh,
  importState,
  linkLife,
  newRelease,
  releasedStates,
} from "../../support/fixtures/releasedState";
import { outputsOf, reference, writeProject } from "./hosts";
import { yamlStack } from "./yamlStack";

const { version, pluginDownloadURL } = JSON.parse(readFileSync(join(projectRoot, "plugin", "schema.json"), "utf8"));

/** Each kind of resource, as users of every release wrote it. */
function program(options: object = {}) {
  const resource = (type: string, properties: object) => ({ type: `docs-platform:${type}`, properties, options });
  return {
    resources: {
      site: resource("StaticExport", {
        domain: "docs.example.com",
        triggers: { revision: 1, pages: ["a"] },
        waitTimeout: "10m",
      }),
      pinned: resource("StaticExport", { domain: "docs.example.org", jobId: "job-pinned" }),
      bundle: resource("ExportBundle", { jobId: reference("site", "jobId") }),
      message: resource("AgentMessage", {
        jobId: "agent-1",
        projectId: "docs",
        prompt: "Go on.",
        waitForCompletion: true,
      }),
    },
    outputs: { ...outputsOf("site", ["jobId"]), ...outputsOf("bundle", ["bundleUrl"]) },
  };
}

async function platformAndStack(): Promise<{ platform: Platform; stack: EngineStack }> {
  const agentJobs = [{ projectId: "docs", id: "agent-1" }];
  const platform = await testPlatform({ linkLife, agentTime: 50, agentJobs });
  platform.jobs.add({ domain: "docs.example.org", jobId: "job-pinned", status: "completed" });
  return { platform, stack: await yamlStack(platform, program()) };
}

describe.each(releasedStates("plugin"))("the plugin's state of a release, %s", (name) => {
  it("shows an empty preview without a request, also where an SDK now tells the address of downloads; refresh and destroy work", async () => {
    const { platform, stack } = await platformAndStack();
    await importState(stack, name, platform);
    const nothing = { code: 0, requests: [], output: "" };
    expect({ ...(await stack.preview("--expect-no-changes")), output: "" }).toEqual(nothing);
    writeProject(stack, "yaml", program({ version, pluginDownloadURL }));
    expect(await stack.up("--expect-no-changes")).toMatchObject({ code: 0, requests: [] });
    await expectRefresh(stack, platform);
    expect(await stack.destroy()).toMatchObject({ code: 0, requests: [] });
    expect(platform.starts).toBe(0);
  });
});

if (newRelease) {
  it("a release adds the plugin's state to the fixtures", async () => {
    const { stack } = await platformAndStack();
    await addState("plugin", newRelease, stack);
  });
}
