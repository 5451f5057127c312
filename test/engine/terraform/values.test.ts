import { describe, expect, it } from "vitest";
import { mint } from "../../support/engineTest";
import { requireTool } from "../../support/requireTool";
import { bundleAddress, siteAddress, TerraformStack, terraformPlatform } from "../../support/terraformStack";

const nothing = { code: 0, requests: [] };

function exportOf(triggers: string, more = ""): string {
  return `variable "no_text" {
  type    = string
  default = null
}
variable "texts" {
  type    = list(string)
  default = null
}
resource "docsplatform_static_export" "site" {
  domain   = "docs.example.com"
  triggers = ${triggers}
${more}}
`;
}

describe.skipIf(!requireTool("terraform"))("a value on Terraform", () => {
  it.each([
    "var.no_text",
    "var.texts",
    'true ? null : "x"',
    "[var.no_text]",
    "1 / 3",
    "length([1, 2, 3]) * 0.1",
    "1234567890123456789012345678901234567890",
    "9007199254740993",
    "-9223372036854775808",
    "{ a = 9007199254740993, b = 0.1 }",
    "tolist([0.1, 9007199254740993])",
    'toset(["b", "a"])',
    '"e\u0301"',
  ])("of any type is answered as it was planned, and starts one job: %s", async (triggers) => {
    const platform = await terraformPlatform();
    const stack = await TerraformStack.reattached(platform, exportOf(triggers));
    const first = await stack.apply();
    expect(first.code, first.output).toBe(0);
    expect(stack.state(siteAddress)?.tainted).toBe(false);
    expect(await stack.plan()).toMatchObject(nothing);
    expect(await stack.apply("-refresh=false")).toMatchObject(nothing);
    expect(platform.starts).toBe(1);
  });

  it("that is another number replaces, and the same one in another notation does not", async () => {
    const platform = await terraformPlatform();
    const stack = await TerraformStack.reattached(platform, exportOf("9007199254740992"));
    for (const [triggers, starts] of [
      ["9007199254740992", 1],
      ["9007199254740993", 2],
      ["9007199254740993.0", 2],
      ["1000", 3],
      ["1e3", 3],
    ] as const) {
      stack.write(exportOf(triggers));
      const { code, output } = await stack.apply();
      expect(code, output).toBe(0);
      expect(platform.starts, triggers).toBe(starts);
    }
  });

  it("that another release has left in the state, or has not yet, is no fault", async () => {
    const platform = await terraformPlatform();
    const stack = await TerraformStack.reattached(platform, exportOf("9007199254740993"));
    expect((await stack.apply()).code).toBe(0);
    stack.editState((text) => text.replace(/"wait_timeout": *null/, '"of_another_release": 1'));
    expect(await stack.plan()).toMatchObject(nothing);
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
    const ignoring = (triggers: string, wait: string) =>
      exportOf(triggers, `  wait_timeout = "${wait}"\n  lifecycle {\n    ignore_changes = [triggers]\n  }\n`);
    const stack = await TerraformStack.reattached(platform, ignoring('"a"', "5m"));
    expect((await stack.apply()).code).toBe(0);
    stack.write(ignoring("[9007199254740993]", "6m"));
    expect(await stack.apply()).toMatchObject(nothing);
    expect(stack.state(siteAddress)?.attributes).toMatchObject({ triggers: { value: "a" }, wait_timeout: "6m" });
    expect(platform.starts).toBe(1);
  });
});
