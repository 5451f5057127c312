import { describe, expect, it } from "vitest";
import {
  anError,
  look,
  mint,
  siteAndBundle,
  stackAfterUp,
  stackLine,
  testPlatform,
  testStack,
} from "../../support/engineTest";
import { passHour } from "../../support/passHour";
import { dynamicNode } from "../plugin/hosts";
import { lifecycleOn } from "../plugin/suite";

const domain = "docs.example.com";
const nothing = { code: 0, requests: [] };

lifecycleOn(dynamicNode);

describe("a stack", () => {
  it("names our code by a text without code that never changes, shows the progress of its job, and loads no library for requests into its program", async () => {
    const stack = await testStack(await testPlatform({ jobTime: 3_000 }), { ...siteAndBundle, libraries: true });
    const { code, output } = await stack.up();
    expect(code, output).toBe(0);
    expect(output).toMatch(
      /StaticExport site creating \S+ \d+ %( \d+s left)?, running, \d+s elapsed, \d+ pages?, docs\.example\.com, job/,
    );
    expect((await stack.outputs()).libraries).toEqual([]);
    const providers = (await stack.resources()).filter(({ type }) => type.startsWith("pulumi:providers:"));
    expect(providers, "a process for each of them in each run").toHaveLength(1);
    for (const [name, kind] of [
      ["site", "StaticExport"],
      ["bundle", "ExportBundle"],
    ] as const) {
      const { inputs, outputs, ...more } = (await stack.state(name)) ?? {};
      const text = `exports.handler = () => require("pulumi-docs-platform/provider").${kind};`;
      expect([inputs?.__provider, outputs?.__provider]).toEqual([text, text]);
      expect(text.length).toBeLessThanOrEqual(512);
      expect(more).toMatchObject({ sourcePosition: expect.stringMatching(/^project:\/\/\/index\.js#/) });
    }
  });

  it("applies changes of renewBefore, version and waitTimeout in place, without a request", async () => {
    const stack = await stackAfterUp(await testPlatform());
    const before = await stack.outputs();
    const changed = { renewBefore: "1m", version: "2026-11" };
    stack.declare({ site: { domain, waitTimeout: "45m" }, bundle: changed });
    const { output, ...run } = await stack.up();
    expect(run).toEqual(nothing);
    expect(output).toMatch(/~ 1 updated/);
    expect((await stack.state("bundle"))?.outputs).toMatchObject(changed);
    expect((await stack.state("site"))?.inputs).toMatchObject({ waitTimeout: "45m" });
    expect((await stack.outputs()).bundleUrl).toBe(before.bundleUrl);
  });

  it("says in a preview why a link is due", async () => {
    const platform = await testPlatform();
    const stack = await stackAfterUp(platform);
    passHour(platform, stack);
    const { output, ...preview } = await stack.start("preview", "--diff").ended;
    expect(preview).toEqual(nothing);
    expect(output).toMatch(/\nlink ended 45m(?:\d+s)? ago: will be renewed\n +~ .*ExportBundle: \(update\)/);
  });
});

describe("refresh", () => {
  it("renews a link that is no longer good by one request, keeps everything that it cannot read, and drops a job that is gone", async () => {
    const platform = await testPlatform();
    const stack = await stackAfterUp(platform);
    const before = await stack.outputs();
    const { jobId } = before;
    passHour(platform, stack);
    const renewed = await stack.refresh();
    expect({ code: renewed.code, requests: renewed.requests.toSorted() }).toEqual({
      code: 0,
      requests: [look(jobId), mint(jobId)].toSorted(),
    });
    expect(renewed.output).toMatch(/warning: .*the refresh renewed the link/);
    // The refresh has renewed the resource's link. Only a run of the program changes the stack's outputs.
    expect(await stack.up()).toMatchObject(nothing);
    const outputs = await stack.outputs();
    expect(outputs.bundleUrl).not.toBe(before.bundleUrl);
    // A refresh reads each resource twice: in its preview, and in its run.
    const { code, requests } = await stack.pulumi("refresh", "--yes", "--expect-no-changes");
    expect({ code, requests }).toEqual({ code: 0, requests: [look(jobId), look(jobId)] });

    // The engine encrypts secrets anew whenever it saves, so the comparison leaves them out.
    const kept = async () => (await stack.resources()).map(({ urn, id, inputs }) => ({ urn, id, inputs }));
    const resources = await kept();
    const body = JSON.stringify({ error: "read scope is missing" });
    platform.inject({ operation: "getExport", kind: "status", status: 403, body });
    const refused = await stack.refresh();
    expect(refused.code).toEqual(anError);
    expect(refused.output).toMatch(/DOCS_PERMISSION: .*read scope is missing/);
    expect(refused.output).not.toMatch(stackLine);
    expect([await kept(), await stack.outputs()]).toEqual([resources, outputs]);

    platform.jobs.forget(String(jobId));
    expect(await stack.refresh()).toMatchObject({ code: 0, requests: [look(jobId)] });
    expect(await stack.state("site")).toBeUndefined();
  });
});

describe("jobId", () => {
  it("adopts a job that runs, keeps it when it is removed, and changes to another one, without a start", async () => {
    const platform = await testPlatform({ jobTime: 600_000, extraFields: false });
    const pinned = (jobId: string) => ({ ...siteAndBundle, site: { domain, jobId } });
    const first = platform.jobs.add({ domain }).jobId;
    const other = platform.jobs.add({ domain, status: "completed" }).jobId;
    platform.on("request", ({ operation }) => operation === "getExport" && platform.jobs.complete(first));
    const stack = await testStack(platform, pinned(first));
    expect(await stack.up()).toMatchObject({ code: 0, requests: [look(first), look(first), mint(first)] });
    const { startedAt, completedAt, ...outputs } = await stack.outputs();
    expect(outputs).toMatchObject({ jobId: first, status: "completed", version: first });
    expect([startedAt, completedAt]).toEqual([undefined, undefined]);
    stack.declare(siteAndBundle);
    const unpinned = await stack.up("--expect-no-changes");
    expect(unpinned).toMatchObject(nothing);
    expect(unpinned.output).toContain(`jobId is no longer given: this stays at export job ${first}.`);
    expect((await stack.up()).output).not.toContain("no longer given");
    stack.declare(pinned(other));
    expect(await stack.up()).toMatchObject({ code: 0, requests: [look(other), mint(other)] });
    expect(await stack.outputs()).toMatchObject({ jobId: other, version: other });
    expect(platform.starts).toBe(0);
  });
});
