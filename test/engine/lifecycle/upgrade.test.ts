import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Platform } from "../../../simulator/index";
import type { EngineStack, StateResource } from "../../support/engineStack";
import { testPlatform, testStack } from "../../support/engineTest";
import {
  addState,
  expectRefresh,
  importState,
  linkLife,
  newRelease,
  releasedStates,
} from "../../support/fixtures/releasedState";

/** A program with each kind of resource, as users of every release wrote it. */
const program = `
  const docs = require("pulumi-docs-platform");
  const site = new docs.StaticExport("site", {
    domain: "docs.example.com", triggers: { revision: 1, pages: ["a"] }, waitTimeout: "10m",
  });
  const pinned = new docs.StaticExport("pinned", { domain: "docs.example.org", jobId: "job-pinned" });
  const bundle = new docs.ExportBundle("bundle", { jobId: site.jobId });
  const message = new docs.AgentMessage("message", {
    jobId: "agent-1", projectId: "docs", prompt: "Go on.", waitForCompletion: true,
  });
  module.exports = {
    jobId: site.jobId, bundleUrl: bundle.bundleUrl, expiresAt: bundle.expiresAt,
    values: docs.helmValues({ bundle }), status: message.status, pinned: pinned.status,
  };
`;

async function platformAndStack(): Promise<{ platform: Platform; stack: EngineStack }> {
  const agentJobs = [{ projectId: "docs", id: "agent-1" }];
  const platform = await testPlatform({ linkLife, agentTime: 50, agentJobs });
  platform.jobs.add({ domain: "docs.example.org", jobId: "job-pinned", status: "completed" });
  const stack = await testStack(platform, {});
  writeFileSync(join(stack.folder, "index.js"), program);
  return { platform, stack };
}

/** What the state names our code by: in the inputs and in the outputs of each resource. */
function texts(resources: readonly StateResource[]): Record<string, unknown[]> {
  const ours = resources.filter(({ type }) => type.startsWith("pulumi-nodejs:dynamic/docs-platform:"));
  return Object.fromEntries(ours.map(({ urn, inputs, outputs }) => [urn, [inputs.__provider, outputs.__provider]]));
}

describe.each(releasedStates("state"))("the state of a release, %s", (name) => {
  it("shows an empty preview and an empty up, without a request; refresh and destroy work", async () => {
    const { platform, stack } = await platformAndStack();
    await importState(stack, name, platform);
    const preview = await stack.preview("--expect-no-changes");
    expect({ ...preview, output: "" }).toEqual({ code: 0, requests: [], output: "" });
    expect(await stack.up("--expect-no-changes")).toMatchObject({ code: 0, requests: [] });
    await expectRefresh(stack, platform);
    expect(await stack.up("--expect-no-changes")).toMatchObject({ code: 0, requests: [] });
    expect(await stack.destroy()).toMatchObject({ code: 0, requests: [] });
    expect(await stack.resources()).toEqual([]);
    expect(platform.starts).toBe(0);
  });

  it("names our code by the very texts that a state of today does, of at most 512 bytes", async () => {
    const { platform, stack } = await platformAndStack();
    await importState(stack, name, platform);
    const then = texts(await stack.resources());
    expect(Object.keys(then)).toHaveLength(4);
    await stack.destroy();
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(texts(await stack.resources())).toEqual(then);
    for (const [urn, [input, output]] of Object.entries(then)) {
      const kind = /docs-platform:(\w+)::/.exec(urn)?.[1];
      expect(input).toBe(`exports.handler = () => require("pulumi-docs-platform/provider").${kind};`);
      expect(output).toBe(input);
      expect(String(input).length).toBeLessThanOrEqual(512);
    }
  });
});

if (newRelease) {
  it("a release adds its state to the fixtures", async () => {
    const { stack } = await platformAndStack();
    await addState("state", newRelease, stack);
  });
}
