import { describe, expect, it } from "vitest";
import { mint } from "../../support/engineTest";
import { requireTool } from "../../support/requireTool";
import { hclAround, hclOf, triggers } from "../../support/terraform/draw";
import { bundleAddress, exportOf, siteAddress, TerraformStack, terraformPlatform } from "../../support/terraformStack";

const nothing = { code: 0, requests: [] };

describe.skipIf(!requireTool("terraform"))("a value on Terraform", () => {
  it("of any type is answered as it was planned, and starts one job", async () => {
    const platform = await terraformPlatform({ jobTime: 0 });
    const declared = triggers.map((value, index) => {
      const choices = { domain: '"docs.example.com"', triggers: value };
      return hclOf({ type: "docsplatform_static_export", choices }, `value${index}`);
    });
    const stack = await TerraformStack.reattached(platform, hclAround(declared.join("")));
    await stack.expectApply(0);
    const states = triggers.map((_, index) => stack.state(`docsplatform_static_export.value${index}`));
    expect(states).toMatchObject(triggers.map(() => ({ tainted: false, attributes: { status: "completed" } })));
    await stack.expectNothingToDo();
    expect(await stack.apply("-refresh=false")).toMatchObject(nothing);
    expect(platform.starts).toBe(triggers.length);
  });
});

describe.skipIf(!requireTool("terraform"))("ignore_changes on Terraform", () => {
  it("of job_id keeps the link's job, also where a mint is due in the same apply", async () => {
    const platform = await terraformPlatform({ jobTime: 0 });
    const ignoring = (job: string, more = "") => `resource "docsplatform_export_bundle" "bundle" {
  job_id = "${job}"
${more}  lifecycle {
    ignore_changes = [job_id]
  }
}
`;
    const [one, other] = [0, 1].map(() => platform.jobs.add({ domain: "docs.example.com" }).jobId) as [string, string];
    const stack = await TerraformStack.reattached(platform, ignoring(one));
    expect((await stack.apply()).code).toBe(0);
    stack.write(ignoring(other, '  renew_before = "1m"\n  verify_link = true\n'));
    const changed = await stack.apply();
    expect(changed.code, changed.output).toBe(0);
    expect(changed.requests).not.toContain(mint(other));
    expect(stack.state(bundleAddress)?.attributes).toMatchObject({ job_id: one, version: one, renew_before: "1m" });
    expect(await stack.plan()).toMatchObject(nothing);
  });

  it("of job_id keeps a site's files, whatever else changes", async () => {
    const platform = await terraformPlatform({ jobTime: 0 });
    const [one, other] = [0, 1].map(() => platform.jobs.add({ domain: "docs.example.com" }).jobId) as [string, string];
    const mirror = (job: string, url: string) => `resource "docsplatform_bundle_mirror" "copy" {
  job_id      = "${job}"
  destination = "file://\${abspath("copy")}"
  layout      = "site"
  public_url  = "https://cdn.example.com/${url}"
  lifecycle {
    ignore_changes = [job_id]
  }
}
`;
    const stack = await TerraformStack.reattached(platform, mirror(one, "a"));
    expect((await stack.apply()).code).toBe(0);
    stack.write(mirror(other, "b"));
    const changed = await stack.apply();
    expect(changed, changed.output).toMatchObject(nothing);
    expect(stack.state("docsplatform_bundle_mirror.copy")?.attributes).toMatchObject({ job_id: one, version: one });
    expect(await stack.plan()).toMatchObject(nothing);
  });

  it("of triggers and all keeps the export, while wait_timeout changes", async () => {
    const platform = await terraformPlatform();
    const ignoring = (given: string, wait: string) =>
      exportOf(
        `  triggers     = ${given}\n  wait_timeout = "${wait}"\n  lifecycle {\n    ignore_changes = [triggers]\n  }\n`,
      );
    const stack = await TerraformStack.reattached(platform, ignoring('"a"', "5m"));
    expect((await stack.apply()).code).toBe(0);
    stack.write(ignoring("[1]", "6m"));
    expect(await stack.apply()).toMatchObject(nothing);
    expect(stack.state(siteAddress)?.attributes).toMatchObject({ triggers: { value: "a" }, wait_timeout: "6m" });
    expect(platform.starts).toBe(1);
  });
});
