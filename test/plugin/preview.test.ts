import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import type { EngineStack } from "../support/engineStack";
import { testPlatform } from "../support/engineTest";
import { outputsOf, reference, writeProject } from "./hosts";
import { siteAndBundle, yamlStack } from "./yamlStack";

interface Step {
  op: string;
  urn: string;
  detailedDiff: Record<string, { kind: string; inputDiff: boolean }> | null;
}

/** The stack's outputs as a preview shows them: those that change. */
function shown(output: string): Record<string, string> {
  const lines = output.slice(output.indexOf("--outputs:--")).split("\nResources:")[0] ?? "";
  return Object.fromEntries(
    [...lines.matchAll(/^\s+[~+-]? ?(\w+)\s*: (.*)$/gm)].map(([, name, value]) => [name, value]),
  );
}

/** What a preview says of the resource with this name. */
async function stepOf(stack: EngineStack, name: string): Promise<Step | undefined> {
  const { output } = await stack.pulumi("preview", "--json");
  // Warnings may stand before it.
  const { steps } = JSON.parse(output.slice(output.indexOf("{\n"))) as { steps: Step[] };
  return steps.find(({ urn }) => urn.endsWith(`::${name}`));
}

it("a preview of a renewal shows the link and its times as unknown, and all else as it stays", async () => {
  const platform = await testPlatform({ linkLife: 1_000 });
  const stack = await yamlStack(platform);
  expect(await stack.up()).toMatchObject({ code: 0 });
  const { jobId } = await stack.outputs();
  await sleep(1_000);
  expect(await stepOf(stack, "bundle")).toMatchObject({ op: "update", detailedDiff: null });
  // An output that the stack has already is shown only where its new value is known.
  const fresh = outputsOf("bundle", ["version", "jobId", "issuedAt", "expiresAt", "bundleUrl"]);
  const outputs = Object.fromEntries(Object.entries(fresh).map(([name, value]) => [`fresh${name}`, value]));
  writeProject(stack, "yaml", { ...siteAndBundle, outputs });
  const { output } = await stack.preview();
  const added = Object.entries(shown(output)).filter(([name]) => name.startsWith("fresh"));
  expect(Object.fromEntries(added)).toEqual({
    freshversion: `"${jobId}"`,
    freshjobId: `"${jobId}"`,
    freshissuedAt: "[unknown]",
    freshexpiresAt: "[unknown]",
    freshbundleUrl: "[unknown]",
  });
  // It lists only what changes.
  expect(await stepOf(stack, "site")).toBeUndefined();
});

it("a preview of a job that is adopted knows its id and its pin", async () => {
  const platform = await testPlatform();
  const { jobId } = platform.jobs.add({ domain: "docs.example.com", status: "completed" });
  const site = { type: "docs-platform:StaticExport", properties: { domain: "docs.example.com", jobId } };
  const stack = await yamlStack(platform, {
    resources: { site },
    outputs: outputsOf("site", ["jobId", "version", "status"]),
  });
  const { output } = await stack.preview();
  expect(shown(output)).toEqual({ jobId: `"${jobId}"`, version: `"${jobId}"`, status: "[unknown]" });
  expect(platform.requests).toEqual([]);
});

it("a preview takes triggers that are not known yet for unchanged, and warns of it", async () => {
  const platform = await testPlatform({ jobTime: 0 });
  const stack = await yamlStack(platform);
  expect(await stack.up()).toMatchObject({ code: 0 });
  const type = "docs-platform:StaticExport";
  const other = { type, properties: { domain: "other.example.com" } };
  const site = { type, properties: { domain: "docs.example.com", triggers: { after: reference("other", "jobId") } } };
  writeProject(stack, "yaml", { resources: { ...siteAndBundle.resources, other, site } });
  const { output } = await stack.pulumi("preview");
  expect(output).toMatch(/warning: triggers: not known yet, and taken for unchanged in this preview\. If the value/);
  expect(output).toMatch(/\+ 1 to create\s+3 unchanged/);
  expect((await stack.up()).output).toMatch(/\+-2 replaced/);
});

it("a preview names the input that replaces a resource", async () => {
  const platform = await testPlatform();
  const stack = await yamlStack(platform);
  expect(await stack.up()).toMatchObject({ code: 0 });
  const site = { type: "docs-platform:StaticExport", properties: { domain: "other.example.com", waitTimeout: "1h" } };
  writeProject(stack, "yaml", { resources: { ...siteAndBundle.resources, site } });
  const step = await stepOf(stack, "site");
  expect(step?.op).toBe("replace");
  expect(step?.detailedDiff).toMatchObject({
    domain: { kind: "update-replace", inputDiff: true },
    waitTimeout: { kind: "update", inputDiff: true },
  });
});
