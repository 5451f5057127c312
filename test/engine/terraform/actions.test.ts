import { describe, expect, it } from "vitest";
import { campaign } from "../../support/campaign";
import { requireTool } from "../../support/requireTool";
import { built } from "../../support/terraform/engines";
import { siteAddress, TerraformStack, terraformPlatform } from "../../support/terraformStack";

const message = "POST /agent/docs/job/job/message";
const project = { agentJobs: [{ projectId: "docs", id: "job" }], agentTime: 50 };

const actions = `provider "docsplatform" {
  project_id = "docs"
}
action "docsplatform_agent_message" "tell" {
  config {
    job_id              = "job"
    prompt              = "Fix the links."
    wait_for_completion = true
  }
}
action "docsplatform_static_export" "again" {
  config {
    domain = "docs.example.com"
  }
}
`;
const triggering = `resource "docsplatform_static_export" "site" {
  domain = "docs.example.com"
  lifecycle {
    action_trigger {
      events  = [after_create]
      actions = [action.docsplatform_agent_message.tell]
    }
  }
}
`;

const newest = built.filter(([name]) => name === "the newest terraform");

// The Terraform on PATH may be too old for actions. Only the campaign builds the newest Terraform.
describe.runIf(campaign && requireTool("terraform")).each(newest)("actions, on %s", (_, command) => {
  it("are invoked after a create, and by the command, with their progress; a plan and an apply of nothing invoke none", async () => {
    const platform = await terraformPlatform(project);
    const stack = await TerraformStack.reattached(platform, `${actions}${triggering}`, await command());
    const first = await stack.apply();
    expect(first.code, first.output).toBe(0);
    expect(first.requests.filter((request) => request === message)).toHaveLength(1);
    expect(first.output).toMatch(/agent job job/);
    expect(await stack.plan()).toMatchObject({ code: 0, requests: [] });
    const again = await stack.apply("-invoke=action.docsplatform_static_export.again");
    expect(again.code, again.output).toBe(0);
    expect(platform.starts).toBe(2);
    expect(again.output).toMatch(/completed in .*docs\.example\.com, job sej_/);
    expect(await stack.plan()).toMatchObject({ code: 0, requests: [] });
  });

  it("fail with an error that says what exists, and taint nothing", async () => {
    const platform = await terraformPlatform(project);
    const stack = await TerraformStack.reattached(platform, `${actions}${triggering}`, await command());
    platform.inject({ operation: "sendMessage", kind: "status", status: 400 });
    const { code, output } = await stack.apply();
    expect(code).toBe(1);
    expect(output).toContain("DOCS_REFUSED");
    expect(stack.state(siteAddress)).toMatchObject({ tainted: false, attributes: { status: "completed" } });
    expect(await stack.plan()).toMatchObject({ code: 0, requests: [] });
  });
});
