import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectRoot } from "../../../tools/projectRoot";
import { getTool } from "../../../tools/toolchain/getTool";
import { campaign } from "../../support/campaign";
import { look } from "../../support/engineTest";
import { requireTool } from "../../support/requireTool";
import { engines } from "../../support/terraform/engines";
import { bundleAddress, exportOf, siteAddress, TerraformStack, terraformPlatform } from "../../support/terraformStack";

const domain = "docs.example.com";
const path = "/v1/static-export/jobs";
const provider = 'provider["registry.terraform.io/pulumi-docs-platform/docsplatform"]';

/** The attributes that providers for any REST interface leave in the state, by the type of their resource. */
const sources = (jobId: string) => ({
  restapi_object: { id: jobId, path, data: JSON.stringify({ domain }), api_response: '{"status":"running"}' },
  restful_resource: {
    id: `${path}/${jobId}`,
    path,
    body: { value: { domain }, type: ["object", { domain: "string" }] },
    output: { value: { status: "running" }, type: ["object", { status: "string" }] },
  },
});

const example = readFileSync(join(projectRoot, "examples", "terraform", "moved", "main.tf"), "utf8");
const movedFrom = (type: string) => example.replace("restapi_object", type);

const bundle = 'resource "docsplatform_export_bundle" "bundle" {\n  job_id = "1"\n}\n';

/** A state in which one resource of another type is there, as another provider has left it. */
async function left(type: string, attributes: object, configuration: string) {
  const platform = await terraformPlatform({ jobTime: 0 });
  const stack = await TerraformStack.reattached(platform, "");
  stack.write(configuration, "");
  // Terraform asks the new provider only, so the old one need not be installed.
  const resource = { mode: "managed", type, name: "site", provider };
  const state = { version: 4, serial: 1, lineage: "l", outputs: {} };
  const instances = [{ schema_version: 0, attributes }];
  writeFileSync(stack.stateFile, JSON.stringify({ ...state, resources: [{ ...resource, instances }] }));
  return { platform, stack };
}

describe.skipIf(!requireTool("terraform"))("`moved` from another provider's resource", () => {
  it.each(["restapi_object", "restful_resource"] as const)(
    "%s takes its job over: the plan sends nothing, the apply looks at the job once and starts none, as after an import",
    async (type) => {
      const jobId = "sej_moved";
      const { platform, stack } = await left(type, sources(jobId)[type], movedFrom(type));
      platform.jobs.add({ jobId, domain, status: "completed" });
      const plan = await stack.plan();
      expect(plan, plan.output).toMatchObject({ code: 2, requests: [] });
      expect(plan.output).toContain(`(moved from ${type}.site)`);
      expect(plan.output).toContain("Plan: 0 to add, 1 to change, 0 to destroy.");
      expect(await stack.apply()).toMatchObject({ code: 0, requests: [look(jobId)] });
      await stack.expectNothingToDo();
      const taken = stack.state(siteAddress);
      stack.write(exportOf());
      await stack.run("state", "rm", siteAddress);
      await stack.run("import", siteAddress, jobId);
      await stack.expectApply(0);
      expect(taken).toEqual(stack.state(siteAddress));
      expect(platform.starts).toBe(0);
    },
  );

  it.each([
    ["null_resource", { id: "1" }, siteAddress, "only restapi_object and restful_resource can be moved to an export"],
    ["restful_resource", { id: path, path }, siteAddress, "the state of this restful_resource tells no job id"],
    ["restapi_object", { id: "1" }, bundleAddress, "nothing can be moved to docsplatform_export_bundle"],
  ])("of type %s with %j is refused for %s: %s", async (type, attributes, to, reason) => {
    const moved = movedFrom(type).replace(siteAddress, to);
    const { platform, stack } = await left(type, attributes, `${moved}${bundle}`);
    expect(await stack.expectApply(1)).toContain(reason);
    expect(platform.starts).toBe(0);
  });

  it.runIf(campaign).each(engines)("%s takes over what the real provider restapi has started", async (_, command) => {
    const platform = await terraformPlatform({ jobTime: 0 });
    const stack = await TerraformStack.create(platform, "", await command());
    const folder = dirname(await getTool("terraform-provider-restapi"));
    const file = String(stack.environment.TF_CLI_CONFIG_FILE);
    const overrides = readFileSync(file, "utf8");
    writeFileSync(file, overrides.replace("dev_overrides {", `$&\n    "mastercard/restapi" = "${folder}"`));
    const begin = `terraform {
  required_providers {
    restapi = { source = "mastercard/restapi" }
  }
}
provider "restapi" {
  uri                  = "${platform.baseUrl}"
  headers              = { Authorization = "Bearer ${platform.apiKey}" }
  id_attribute         = "jobId"
  write_returns_object = true
}
`;
    stack.write(
      `resource "restapi_object" "site" {
  path = "${path}"
  data = jsonencode({ domain = "${domain}" })
}
`,
      begin,
    );
    await stack.expectApply(0);
    expect(platform.starts).toBe(1);
    const [{ jobId = "" } = {}] = platform.jobs.list();
    stack.write(example, "");
    const plan = await stack.plan();
    expect(plan, plan.output).toMatchObject({ code: 2, requests: [] });
    expect(await stack.apply()).toMatchObject({ code: 0, requests: [look(jobId)] });
    stack.write(exportOf());
    await stack.expectNothingToDo();
    expect(stack.state(siteAddress)?.attributes).toMatchObject({ job_id: jobId, status: "completed", domain });
    expect(platform.starts).toBe(1);
  });
});
