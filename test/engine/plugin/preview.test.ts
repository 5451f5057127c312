import { describe, expect, it } from "vitest";
import { passHour } from "../../support/passHour";
import { sharedStack } from "../../support/sharedStack";
import { outputsOf, reference, writeProject, yaml } from "./hosts";
import { yamlSiteAndBundle } from "./yamlStack";

// Checks what the engine prints. The plugin's answers are tested in configuration.test.ts and plan.test.ts.

const domain = "docs.example.com";
const type = "docs-platform:StaticExport";

function shown(output: string): Record<string, string> {
  const lines = output.slice(output.indexOf("--outputs:--")).split("\nResources:")[0] ?? "";
  return Object.fromEntries(
    [...lines.matchAll(/^\s+[~+-]? ?(\w+)\s*: (.*)$/gm)].map(([, name, value]) => [name, value]),
  );
}

/** Gives outputs names that the state does not contain yet. A preview prints an unknown value only for such a name. */
function named(prefix: string, outputs: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(outputs).map(([name, value]) => [prefix + name, value]));
}

describe("a preview of a renewal, an adopted job and triggers that are not known yet", () => {
  let jobId: string;
  let adopted: string;
  let output: string;
  sharedStack({ jobTime: 0 }, async ({ stack, platform }) => {
    await yaml.prepare(stack);
    writeProject(stack, "yaml", yamlSiteAndBundle);
    const first = await stack.up();
    expect(first.code, first.output).toBe(0);
    jobId = String(platform.jobs.list()[0]?.jobId);
    adopted = platform.jobs.add({ domain: "adopted.example.com", status: "completed" }).jobId;
    passHour(platform, stack);
    const triggers = { after: reference("other", "jobId") };
    writeProject(stack, "yaml", {
      resources: {
        ...yamlSiteAndBundle.resources,
        adopted: { type, properties: { domain: "adopted.example.com", jobId: adopted } },
        other: { type, properties: { domain: "other.example.com" } },
        site: { type, properties: { domain, triggers } },
      },
      outputs: {
        ...named("fresh", outputsOf("bundle", ["version", "jobId", "issuedAt", "expiresAt", "bundleUrl"])),
        ...named("adopted", outputsOf("adopted", ["jobId", "version", "status"])),
      },
    });
    const before = platform.requests.length;
    ({ output } = await stack.preview());
    expect(platform.requests.length).toBe(before);
  });

  it("shows the link and its times as unknown, and everything else as it stays", () => {
    const fresh = Object.entries(shown(output)).filter(([name]) => name.startsWith("fresh"));
    expect(Object.fromEntries(fresh)).toEqual({
      freshversion: `"${jobId}"`,
      freshjobId: `"${jobId}"`,
      freshissuedAt: "[unknown]",
      freshexpiresAt: "[unknown]",
      freshbundleUrl: "[unknown]",
    });
  });

  it("knows the id and the pin of a job that is adopted", () => {
    expect(shown(output)).toMatchObject({
      adoptedjobId: `"${adopted}"`,
      adoptedversion: `"${adopted}"`,
      adoptedstatus: "[unknown]",
    });
  });

  it("counts triggers that are not known yet as unchanged, and warns of it", () => {
    expect(output).toMatch(
      /warning: triggers: not known yet\. This preview assumes that the value stays the same\. If it/,
    );
    expect(output).toMatch(/\+ 2 to create\s+~ 1 to update\s+3 changes\. 2 unchanged/);
  });
});
