import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { authority } from "../../support/certificate";
import { look, start, tally } from "../../support/engineTest";
import { requireTool } from "../../support/requireTool";
import { completeAll, exportOf, TerraformStack, terraformPlatform } from "../../support/terraformStack";

// Checks Terraform's plans. providerConfig.test.ts checks that the provider uses no other source for an unknown
// setting.

const nothing = { code: 0, requests: [] };

/**
 * The provider's setting is the output of a resource. In a plan that creates or replaces this resource, the setting is
 * unknown.
 */
function providerWithUnknown(setting: string, value: string, again = "", more = ""): string {
  return `resource "terraform_data" "teller" {
  input            = "${value}"
  triggers_replace = "${again}"
}
provider "docsplatform" {
  ${setting} = terraform_data.teller.output
${more}}
`;
}

describe.skipIf(!requireTool("terraform"))("a setting of the provider's block that is not known yet", () => {
  it("base_url: resources are planned, the apply goes where it leads, and a data source is refused until then", async () => {
    const [platform, elsewhere] = [await terraformPlatform({ jobTime: 0 }), await terraformPlatform({ jobTime: 0 })];
    const { jobId } = platform.jobs.add({ domain: "docs.example.com" });
    const block = providerWithUnknown("base_url", platform.baseUrl, "", `  api_key = "${platform.apiKey}"\n`);
    const data = `data "docsplatform_static_export" "job" {\n  job_id = "${jobId}"\n}\n`;
    const stack = await TerraformStack.reattached(platform, `${block}${data}`);
    process.env.DOCS_PLATFORM_BASE_URL = elsewhere.baseUrl;
    const refused = await stack.plan();
    expect(refused, refused.output).toMatchObject({ code: 1, requests: [] });
    expect(refused.output).toContain("base_url in the provider block is not known yet");
    stack.write(`${block}${exportOf()}`);
    expect(await stack.plan()).toMatchObject({ code: 2, requests: [] });
    await stack.expectApply(0);
    stack.write(`${block}${exportOf()}${data}`);
    expect(await stack.plan()).toMatchObject({ code: 0, requests: [look(jobId)] });
    expect(elsewhere.requests).toEqual([]);
  });

  it("project_id: a message that has none of its own is planned as one of a project that is not known", async () => {
    const platform = await terraformPlatform({ agentJobs: [{ projectId: "docs", id: "job" }] });
    const configuration = (again: string) => `${providerWithUnknown("project_id", "docs", again)}
resource "docsplatform_agent_message" "fix" {
  job_id = "job"
  prompt = "Fix the links."
}
`;
    const stack = await TerraformStack.reattached(platform, configuration("once"));
    process.env.DOCS_PLATFORM_PROJECT_ID = "another";
    const { code, output, requests } = await stack.apply();
    expect(code, output).toBe(0);
    expect(requests).toEqual(["POST /agent/docs/job/job/message"]);
    stack.write(configuration("again"));
    const unknown = await stack.apply();
    expect(unknown, unknown.output).toMatchObject(nothing);
    expect(platform.counts.sendMessage).toBe(1);
  });

  it("journal: a job that is under way continues, and nothing is written into the default folder", async () => {
    const platform = await terraformPlatform({ jobTime: Number.POSITIVE_INFINITY });
    const stack = await TerraformStack.reattached(platform, "");
    process.env.HOME = stack.folder;
    const configuration = (again: string) =>
      `${providerWithUnknown("journal", join(stack.folder, "told"), again)}${exportOf('  wait_timeout = "3s"\n')}`;
    stack.write(configuration("once"));
    expect(await stack.expectApply(0)).toContain("DOCS_WAIT_TIMEOUT");
    stack.write(configuration("again"));
    completeAll(platform);
    const next = await stack.apply();
    expect(next.code, next.output).toBe(0);
    expect(tally(next.requests)[start]).toBeUndefined();
    expect(platform.starts).toBe(1);
    expect(readdirSync(stack.folder)).not.toContain(".terraform.d");
  });

  it("ca_file: the destination of a mirror is left unseen, which no other authority is asked about", async () => {
    const platform = await terraformPlatform({ jobTime: 0 });
    const { jobId } = platform.jobs.add({ domain: "docs.example.com" });
    const stack = await TerraformStack.reattached(platform, "");
    const [caFile, copies] = [join(stack.folder, "ca.pem"), join(stack.folder, "copies")];
    writeFileSync(caFile, authority);
    const configuration = (again: string) => `${providerWithUnknown("ca_file", caFile, again)}
resource "docsplatform_bundle_mirror" "copy" {
  job_id      = "${jobId}"
  destination = "file://${copies}"
}
`;
    stack.write(configuration("once"));
    await stack.expectApply(0);
    rmSync(copies, { recursive: true });
    mkdirSync(copies);
    stack.write(configuration("again"));
    const planned = await stack.plan();
    expect(planned.output).toContain("1 to add, 0 to change, 1 to destroy");
    await stack.expectApply(0);
    const seen = await stack.plan();
    expect(seen.code, seen.output).toBe(2);
    expect(seen.output).toContain("docsplatform_bundle_mirror.copy");
  });
});
