import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { look, mint, start, tally } from "../../support/engineTest";
import { passHour } from "../../support/passHour";
import { requireTool } from "../../support/requireTool";
import { engines } from "../../support/terraform/engines";
import {
  applied,
  bundleAddress,
  hclSiteAndBundle,
  siteAddress,
  TerraformStack,
  terraformPlatform,
} from "../../support/terraformStack";

const nothing = { code: 0, requests: [] };

describe.skipIf(!requireTool("terraform")).concurrent.each(engines)("the counted promises, on %s", (_, command) => {
  it("a first apply costs one start, the polls and one link; what changes nothing sends nothing, nor does a destroy", async () => {
    const platform = await terraformPlatform();
    const stack = await TerraformStack.create(platform, hclSiteAndBundle, await command());
    const first = await stack.apply();
    expect(first.code, first.output).toBe(0);
    const { attributes } = stack.state(siteAddress) ?? {};
    const { [look(attributes?.job_id)]: polls, ...others } = tally(first.requests);
    expect(others).toEqual({ [start]: 1, [mint(attributes?.job_id)]: 1 });
    expect(polls).toBeGreaterThanOrEqual(1);
    expect(attributes).toMatchObject({ status: "completed", domain: "docs.example.com", version: attributes?.job_id });
    await stack.expectNothingToDo();
    // The plan has found the saved job in the state, so it has removed the journal's entry.
    expect(readdirSync(join(stack.folder, "journal"))).toEqual([]);
    expect(await stack.apply()).toMatchObject(nothing);
    expect(await stack.destroy()).toMatchObject(nothing);
    await stack.expectApply(0);
    expect(platform.starts).toBe(2);
  });

  it("a link that is due shows as an update of its outputs only, and costs one request, also by a plan that was saved", async () => {
    const platform = await terraformPlatform();
    const stack = await applied(platform, hclSiteAndBundle, await command());
    const before = stack.state(bundleAddress)?.attributes ?? {};
    passHour(platform, stack);
    const plan = await stack.plan(`-out=${join(stack.folder, "saved")}`);
    expect(plan).toMatchObject({ code: 2, requests: [] });
    expect(plan.output).toContain("Plan: 0 to add, 1 to change, 0 to destroy.");
    expect(plan.output.match(/^ +~ \w+ +=/gm)?.map((line) => line.trim().split(/ +/)[1])).toEqual([
      "bundle_url",
      "expires_at",
      "issued_at",
    ]);
    expect(plan.output).toMatch(/Warning: link ended 45m(?:\d+s)? ago\n[\s\S]*will be renewed/);
    expect(await stack.run("apply", "saved")).toMatchObject({ code: 0, requests: [mint(before.job_id)] });
    const { bundle_url, expires_at, issued_at, ...same } = stack.state(bundleAddress)?.attributes ?? {};
    expect(before).toMatchObject(same);
    expect(bundle_url).not.toBe(before.bundle_url);
    expect(await stack.apply()).toMatchObject(nothing);
  });

  it("a change of only renew_before, version or wait_timeout is an update in place that sends nothing", async () => {
    const platform = await terraformPlatform();
    const stack = await applied(platform, hclSiteAndBundle, await command());
    const { bundle_url } = stack.state(bundleAddress)?.attributes ?? {};
    stack.write(
      hclSiteAndBundle
        .replace('"docs.example.com"', '"docs.example.com"\n wait_timeout = "5m"')
        .replace(".job_id\n}", '.job_id\n renew_before = "1m"\n version = "2026-11"\n}'),
    );
    const run = await stack.apply();
    expect(run).toMatchObject(nothing);
    expect(run.output).toContain("0 added, 2 changed, 0 destroyed");
    expect(stack.state(bundleAddress)?.attributes).toMatchObject({
      bundle_url,
      version: "2026-11",
      renew_before: "1m",
    });
    await stack.expectNothingToDo();
  });

  it("a change of triggers replaces the export, in either order, and -replace asks for another", async () => {
    const platform = await terraformPlatform();
    const first = `resource "docsplatform_static_export" "site" {
  domain = "docs.example.com"
  triggers = { revision = 1, tags = ["a", "b"], nested = { on = true, none = null } }
}
`;
    const stack = await applied(platform, first, await command());
    await stack.expectNothingToDo();
    stack.write(
      first
        .replace("revision = 1", "revision = 2")
        .replace("\n}\n", "\n lifecycle { create_before_destroy = true }\n}\n"),
    );
    expect(await stack.expectApply(0)).toMatch(/1 added, 0 changed, 1 destroyed/);
    expect(platform.starts).toBe(2);
    await stack.expectApply(0, `-replace=${siteAddress}`);
    expect(platform.starts).toBe(3);
    expect((await stack.run("taint", siteAddress)).code).toBe(0);
    await stack.expectApply(0);
    expect(platform.starts).toBe(4);
    await stack.expectNothingToDo();
  });
});
