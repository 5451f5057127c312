import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { journalScope } from "../../../provider/hosts/terraform/journalScope";
import { providerSchema } from "../../../provider/hosts/terraform/schema";
import { allSettings } from "../../../provider/settings/settingTable";
import type { Platform } from "../../../simulator/index";
import { authority, trustedServer } from "../../support/certificate";
import { look, start, tally } from "../../support/engineTest";
import { forwardTls } from "../../support/loopback";
import { testRegistry } from "../../support/mirror/ociRegistry";
import { requireTool } from "../../support/requireTool";
import { TerraformStack, terraformPlatform } from "../../support/terraformStack";

const nothing = { code: 0, requests: [] };
const something = { code: 2, requests: [] };

const export_ = `resource "docsplatform_static_export" "site" {
  domain = "docs.example.com"
}
`;

/** A setting from another resource's output. It is unknown in the plan that creates or replaces that resource. */
function told(setting: string, value: string, { again = "", more = "" } = {}): string {
  return `resource "terraform_data" "teller" {
  input            = ${value}
  triggers_replace = "${again}"
}
provider "docsplatform" {
  ${setting} = terraform_data.teller.output
${more}}
`;
}

function dataSource(jobId: string): string {
  return `data "docsplatform_static_export" "job" {\n  job_id = "${jobId}"\n}\n`;
}

/** Another value for each setting than the environment's. */
function otherValues(folder: string, elsewhere: Platform): Record<string, string> {
  const file = (name: string, content: string) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  return {
    apiKey: "another-key",
    apiKeyFile: file("key", "another-key"),
    apiKeyCommand: "echo another-key",
    baseUrl: elsewhere.baseUrl,
    projectId: "another",
    requestTimeout: "1s",
    maxRetries: "1",
    maxRequestsPerSecond: "1",
    routes: '{ "getExport": "/another/{jobId}" }',
    linkHosts: "another.example.com",
    caFile: file("ca.pem", authority),
    clientCertFile: file("cert.pem", trustedServer.cert),
    clientKeyFile: file("key.pem", trustedServer.key),
    headers: '{ "x-another": "header" }',
    journal: join(folder, "another-journal"),
    journalRequired: "true",
    notStarted: "0123456789ab",
    journalScope: "another",
  };
}

const valueOfType = (type: unknown) => (type === "number" ? "1" : type === "string" ? '"text"' : '{ name = "text" }');

describe.skipIf(!requireTool("terraform"))("a setting of the provider's block that is not known yet", () => {
  it("is taken from nowhere else, whichever it is: what needs the platform is refused by its name", async () => {
    const [platform, elsewhere] = [await terraformPlatform({ jobTime: 0 }), await terraformPlatform({ jobTime: 0 })];
    const { jobId } = platform.jobs.add({ domain: "docs.example.com" });
    const stack = await TerraformStack.reattached(platform, "");
    const others = otherValues(stack.folder, elsewhere);
    const before = { ...process.env };
    const settings = [...allSettings, journalScope];
    const attributes = Object.entries(providerSchema.provider.attributes);
    expect(Object.keys(others).sort()).toEqual(attributes.map(([, { property }]) => property).sort());
    for (const [name, { property, type }] of attributes) {
      const { variable = "" } = settings.find((setting) => setting.name === property) ?? {};
      process.env = { ...before, [variable]: others[property] };
      const block = told(name, valueOfType(type));
      stack.write(`${block}${dataSource(jobId)}`);
      const refused = await stack.plan();
      expect(refused, refused.output).toMatchObject({ code: 1, requests: [] });
      expect(refused.output).toContain(`${name} in the provider block is not known yet`);
      stack.write(`${block}${export_}`);
      const planned = await stack.plan();
      expect(planned, planned.output).toMatchObject(something);
    }
    expect(elsewhere.requests).toEqual([]);
    expect(readdirSync(stack.folder)).not.toContain("another-journal");
  });

  it("routes: nor is it taken where one of them is not known", async () => {
    const platform = await terraformPlatform({ jobTime: 0 });
    const { jobId } = platform.jobs.add({ domain: "docs.example.com" });
    const stack = await TerraformStack.reattached(platform, "");
    const block = told("routes", '"/v1/of-the-teller"').replace(
      "= terraform_data.teller.output",
      "= { get_export = terraform_data.teller.output }",
    );
    stack.write(`${block}${dataSource(jobId)}`);
    const refused = await stack.plan();
    expect(refused, refused.output).toMatchObject({ code: 1, requests: [] });
    expect(refused.output).toContain("routes in the provider block is not known yet");
    stack.write(`${block}${export_}`);
    expect(await stack.plan()).toMatchObject(something);
  });

  it("base_url: resources are planned, and the apply goes where it leads", async () => {
    const [platform, elsewhere] = [await terraformPlatform({ jobTime: 0 }), await terraformPlatform({ jobTime: 0 })];
    const { jobId } = platform.jobs.add({ domain: "docs.example.com" });
    const configuration = `${told("base_url", `"${platform.baseUrl}"`, { more: `  api_key = "${platform.apiKey}"\n` })}${export_}`;
    const stack = await TerraformStack.create(platform, configuration);
    stack.environment.DOCS_PLATFORM_BASE_URL = elsewhere.baseUrl;
    expect(await stack.plan()).toMatchObject(something);
    const { code, output } = await stack.apply();
    expect(code, output).toBe(0);
    stack.write(`${configuration}${dataSource(jobId)}`);
    expect(await stack.plan()).toMatchObject({ code: 0, requests: [look(jobId)] });
    expect(elsewhere.requests).toEqual([]);
  });

  it("project_id: a message that has none of its own is planned as one of a project that is not known", async () => {
    const platform = await terraformPlatform({ agentJobs: [{ projectId: "docs", id: "job" }] });
    const configuration = (again: string) => `${told("project_id", '"docs"', { again })}
resource "docsplatform_agent_message" "fix" {
  job_id = "job"
  prompt = "Fix the links."
}
`;
    const stack = await TerraformStack.create(platform, configuration("once"));
    stack.environment.DOCS_PLATFORM_PROJECT_ID = "another";
    const { code, output, requests } = await stack.apply();
    expect(code, output).toBe(0);
    expect(requests).toEqual(["POST /agent/docs/job/job/message"]);
    expect(await stack.plan()).toMatchObject(nothing);
    stack.write(configuration("again"));
    const unknown = await stack.apply();
    expect(unknown, unknown.output).toMatchObject(nothing);
    expect(platform.counts.sendMessage).toBe(1);
  });

  it("journal: a plan leaves alone what lies in the default folder", async () => {
    const platform = await terraformPlatform();
    const stack = await TerraformStack.create(platform, "");
    const place = join(stack.folder, ".terraform.d", "docs-platform");
    stack.environment.HOME = stack.folder;
    stack.environment.DOCS_PLATFORM_JOURNAL = "";
    const configuration = (again: string) => `${told("journal", `"${place}"`, { again })}${export_}`;
    stack.write(configuration("once"));
    expect((await stack.apply()).code).toBe(0);
    const entries = readdirSync(place);
    expect(entries).toHaveLength(1);
    stack.write(configuration("again"));
    const planned = await stack.plan();
    expect(planned, planned.output).toMatchObject(something);
    expect(readdirSync(place)).toEqual(entries);
    expect((await stack.apply()).code).toBe(0);
    expect(await stack.plan()).toMatchObject(nothing);
    expect(readdirSync(place)).toEqual([]);
    expect(platform.starts).toBe(1);
  });

  it("journal: a job that is under way is refused a plan which could not keep it, and is never started twice", async () => {
    const platform = await terraformPlatform({ jobTime: 600_000 });
    const stack = await TerraformStack.create(platform, "");
    stack.environment.HOME = stack.folder;
    const configuration = (again: string) =>
      `${told("journal", `"${join(stack.folder, "told")}"`, { again })}${export_.replace("\n}", '\n  wait_timeout = "3s"\n}')}`;
    stack.write(configuration("once"));
    expect((await stack.apply()).output).toContain("DOCS_WAIT_TIMEOUT");
    stack.write(configuration("again"));
    const [{ jobId = "" } = {}] = platform.jobs.list();
    platform.jobs.complete(jobId);
    platform.jobTime = 50;
    const refused = await stack.apply();
    expect(refused.code, refused.output).toBe(1);
    expect(refused.output).toContain("journal in the provider block is not known yet");
    expect((await stack.apply("-target=terraform_data.teller")).code).toBe(0);
    const next = await stack.apply();
    expect(next.code, next.output).toBe(0);
    expect(tally(next.requests)[start]).toBeUndefined();
    expect(platform.starts).toBe(1);
    expect(readdirSync(stack.folder)).not.toContain(".terraform.d");
  });
});

describe.skipIf(!requireTool("terraform") || !requireTool("go"))("ca_file that is not known yet", () => {
  const registry = testRegistry();

  it("leaves the destination of a mirror unseen, which no other authority is asked about (crane built with go)", async () => {
    const platform = await terraformPlatform({ jobTime: 0 });
    const { jobId } = platform.jobs.add({ domain: "docs.example.com" });
    const way = await forwardTls(registry.host);
    const stack = await TerraformStack.create(platform, "");
    const caFile = join(stack.folder, "ca.pem");
    writeFileSync(caFile, authority);
    const configuration = (again: string) => `${told("ca_file", `"${caFile}"`, { again })}
resource "docsplatform_bundle_mirror" "copy" {
  job_id      = "${jobId}"
  layout      = "site"
  destination = "oci://127.0.0.1:${way.port}/${registry.repository}"
}
`;
    stack.write(configuration("once"));
    const applied = await stack.apply();
    expect(applied.code, applied.output).toBe(0);
    const before = way.connections;
    stack.write(configuration("again"));
    const planned = await stack.plan();
    expect(planned, planned.output).toMatchObject(something);
    expect(planned.output).toContain("1 to add, 0 to change, 1 to destroy");
    expect(way.connections).toBe(before);
    expect((await stack.apply()).code).toBe(0);
    expect(await stack.plan()).toMatchObject(nothing);
    expect(way.connections).toBeGreaterThan(before);
  });
});
