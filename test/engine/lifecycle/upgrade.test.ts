import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Platform } from "../../../simulator/index";
import { projectRoot } from "../../../tools/projectRoot";
import type { EngineStack, StateResource } from "../../support/engineStack";
import { look, testPlatform, testStack } from "../../support/engineTest";

/**
 * The states that users of a release have, one file a release: state-<version>.json. A release adds its own, made by
 * `STATE_FIXTURE=<version> npx vitest run test/engine/lifecycle/upgrade.test.ts`; none is ever changed.
 */
const fixtures = join(projectRoot, "test", "support", "fixtures");
const states = readdirSync(fixtures).filter((name) => /^state-.*\.json$/.test(name));

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

/** Made for ninety years, so that the link of a fixture is good whenever the test runs. */
const linkLife = 90 * 365 * 86_400_000;

async function platformAndStack(): Promise<{ platform: Platform; stack: EngineStack }> {
  const agentJobs = [{ projectId: "docs", id: "agent-1" }];
  const platform = await testPlatform({ linkLife, agentTime: 50, agentJobs });
  platform.jobs.add({ domain: "docs.example.org", jobId: "job-pinned", status: "completed" });
  const stack = await testStack(platform, {});
  writeFileSync(join(stack.folder, "index.js"), program);
  return { platform, stack };
}

/** Takes a state in that was made at another base URL, of which only the port differs. */
async function importState(stack: EngineStack, name: string, platform: Platform): Promise<void> {
  const text = readFileSync(join(fixtures, name), "utf8").replace(/http:\/\/127\.0\.0\.1:\d+/g, platform.baseUrl);
  writeFileSync(join(stack.folder, "state.json"), text);
  expect(await stack.pulumi("stack", "import", "--file", "state.json")).toMatchObject({ code: 0 });
}

/** What the state names our code by: in the inputs and in the outputs of each resource. */
function texts(resources: readonly StateResource[]): Record<string, unknown[]> {
  const ours = resources.filter(({ type }) => type.startsWith("pulumi-nodejs:dynamic/docs-platform:"));
  return Object.fromEntries(ours.map(({ urn, inputs, outputs }) => [urn, [inputs.__provider, outputs.__provider]]));
}

describe.each(states)("the state of a release, %s", (name) => {
  it("shows an empty preview and an empty up, without a request; refresh and destroy work", async () => {
    const { platform, stack } = await platformAndStack();
    await importState(stack, name, platform);
    const preview = await stack.preview("--expect-no-changes");
    expect({ ...preview, output: "" }).toEqual({ code: 0, requests: [], output: "" });
    expect(await stack.up("--expect-no-changes")).toMatchObject({ code: 0, requests: [] });
    const { jobId } = await stack.outputs();
    platform.jobs.add({ domain: "docs.example.com", jobId: String(jobId), status: "completed" });
    const refreshed = await stack.refresh();
    expect({ code: refreshed.code, requests: refreshed.requests.toSorted() }).toEqual({
      code: 0,
      requests: ["GET /agent/docs/job/agent-1", look(jobId), look("job-pinned")].toSorted(),
    });
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

if (process.env.STATE_FIXTURE) {
  it("a release adds its state to the fixtures", async () => {
    const { stack } = await platformAndStack();
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(await stack.up("--expect-no-changes")).toMatchObject({ code: 0, requests: [] });
    expect(await stack.pulumi("stack", "export", "--file", "state.json")).toMatchObject({ code: 0 });
    // Where the program lay says nothing to anyone else.
    const places = ["sourcePosition", "stackTrace"];
    const state = JSON.parse(readFileSync(join(stack.folder, "state.json"), "utf8"), (key, value) =>
      places.includes(key) ? undefined : value,
    );
    const file = join(fixtures, `state-${process.env.STATE_FIXTURE}.json`);
    writeFileSync(file, `${JSON.stringify(state, undefined, 2)}\n`, { flag: "wx" });
  });
}
