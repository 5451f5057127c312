import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { look, tally } from "../../support/engineTest";
import { requireTool } from "../../support/requireTool";
import {
  applied,
  bundleAddress,
  exportOf,
  hclSiteAndBundle,
  siteAddress,
  TerraformStack,
  terraformPlatform,
} from "../../support/terraformStack";
import { until } from "../../support/until";

const nothing = { code: 0, requests: [] };

describe.skipIf(!requireTool("terraform"))("what Terraform itself does with resources", () => {
  it("imports by a block and by the command, by one look each, writes the configuration, and moves, at no cost", async () => {
    const platform = await terraformPlatform({ jobTime: 0 });
    const jobs = [platform.jobs.add({ domain: "a.example.com" }), platform.jobs.add({ domain: "b.example.com" })];
    const [first = "", second = ""] = jobs.map(({ jobId }) => jobId);
    const stack = await TerraformStack.reattached(platform, `import {\n to = ${siteAddress}\n id = "${first}"\n}\n`);
    const generated = join(stack.folder, "generated.tf");
    const plan = await stack.plan(`-generate-config-out=${generated}`);
    expect(plan, plan.output).toMatchObject({ code: 2, requests: [look(first)] });
    expect(plan.output).toContain("Plan: 1 to import, 0 to add, 0 to change, 0 to destroy.");
    expect(readFileSync(generated, "utf8")).toMatch(/domain +=.*"a\.example\.com"/);
    const imported = await stack.apply();
    expect(imported, imported.output).toMatchObject({ code: 0, requests: [look(first)] });
    writeFileSync(generated, "");
    stack.write(`moved {
  from = ${siteAddress}
  to   = docsplatform_static_export.moved
}
resource "docsplatform_static_export" "moved" {
  domain   = "a.example.com"
  triggers = ["of the configuration"]
}
${exportOf("", "other").replace("docs.", "b.")}`);
    const other = await stack.run("import", "docsplatform_static_export.other", second);
    expect(other, other.output).toMatchObject({ code: 0, requests: [look(second)] });
    expect(await stack.apply()).toMatchObject(nothing);
    expect(stack.state("docsplatform_static_export.moved")?.attributes).toMatchObject({ job_id: first });
    await stack.expectNothingToDo();
    const refused = await stack.run("import", bundleAddress, first);
    expect(refused.code).toBe(1);
    expect(platform.starts).toBe(0);
  });

  it("replaces for another number, not for the same one in another notation, refuses one that it cannot keep, and reads a state of another release", async () => {
    const platform = await terraformPlatform({ jobTime: 0 });
    const stack = await TerraformStack.reattached(platform, "");
    for (const [triggers, starts] of [
      ["9007199254740991", 1],
      ["9007199254740991.0", 1],
      ["1000", 2],
      ["1e3", 2],
    ] as const) {
      stack.write(exportOf(`  triggers = ${triggers}\n`));
      await stack.expectApply(0);
      expect(platform.starts, triggers).toBe(starts);
    }
    stack.write(exportOf("  triggers = { a = [9007199254740993] }\n"));
    const refused = await stack.run("validate");
    expect(refused.code).toBe(1);
    expect(refused.output).toContain("triggers.a[0] has a number with more digits");
    stack.write(exportOf("  triggers = 1e3\n"));
    const state = readFileSync(stack.stateFile, "utf8");
    const other = state.replace(/"wait_timeout": *null/, '"of_another_release": 1');
    expect(other).not.toBe(state);
    writeFileSync(stack.stateFile, other);
    await stack.expectNothingToDo();
  });

  it("refuses what is wrong before anything is sent, by the name of the argument", async () => {
    const platform = await terraformPlatform();
    const stack = await TerraformStack.reattached(
      platform,
      hclSiteAndBundle.replace("docs.example.com", "https://docs.example.com/"),
    );
    const wrongDomain = await stack.run("validate");
    stack.write(hclSiteAndBundle.replace(".job_id\n}", '.job_id\n renew_before = "soon"\n}'));
    const wrongDuration = await stack.run("validate");
    expect([wrongDomain, wrongDuration]).toMatchObject(Array(2).fill({ code: 1, requests: [] }));
    expect(wrongDomain.output).toContain("domain contains a scheme: give the bare host name");
    expect(wrongDuration.output).toContain("renew_before must be a duration");
    process.env.DOCS_PLATFORM_BASE_URL = "";
    stack.write(hclSiteAndBundle);
    const missing = await stack.plan();
    expect(missing).toMatchObject({ code: 1, requests: [] });
    expect(missing.output.replace(/\n│? */g, " ")).toContain("the setting base_url is missing: set DOCS_PLATFORM_BASE");
  });

  it("plans without a key, with a warning, accepts the provider's block before the environment, and sends a message once", async () => {
    const platform = await terraformPlatform({ agentJobs: [{ projectId: "docs", id: "job" }], agentTime: 50 });
    const configuration = `provider "docsplatform" {
  base_url   = "${platform.baseUrl}"
  project_id = "docs"
  routes     = { get_agent_job = "/v2/agent/{projectId}/job/{id}" }
}
resource "docsplatform_agent_message" "fix" {
  job_id              = "job"
  prompt              = "Fix the links."
  wait_for_completion = true
}
data "docsplatform_agent_job" "job" {
  job_id = docsplatform_agent_message.fix.job_id
  depends_on = [docsplatform_agent_message.fix]
}
output "source" {
  value = data.docsplatform_agent_job.job.source.repository
}
`;
    const stack = await TerraformStack.reattached(platform, configuration);
    process.env.DOCS_PLATFORM_BASE_URL = "http://127.0.0.1:1";
    process.env.DOCS_PLATFORM_API_KEY = "";
    stack.write(configuration.replace("/v2/agent/{projectId}/job/{id}", "/v2/agent-jobs"));
    const wrongRoute = await stack.plan();
    expect(wrongRoute).toMatchObject({ code: 1, requests: [] });
    expect(wrongRoute.output.replace(/\n│? */g, " ")).toContain(
      "has a wrong route for get_agent_job: it must contain {id}",
    );
    stack.write(configuration);
    const keyless = await stack.plan();
    expect(keyless, keyless.output).toMatchObject({ code: 2, requests: [] });
    expect(keyless.output).toMatch(/no admin API key is set.*A plan works without it/s);
    expect(keyless.output).not.toContain("preview");
    process.env.DOCS_PLATFORM_API_KEY = platform.apiKey;
    const { code, output, requests } = await stack.apply();
    expect(code, output).toBe(0);
    expect(tally(requests)["POST /agent/docs/job/job/message"]).toBe(1);
    expect(stack.output("source")).toMatch(/^https:/);
    const again = await stack.apply();
    expect(again.code, again.output).toBe(0);
    expect(tally(again.requests)["POST /agent/docs/job/job/message"]).toBeUndefined();
  });
});

describe.skipIf(!requireTool("terraform")).concurrent("the process of the provider", () => {
  it("has a job for each workspace", async () => {
    const platform = await terraformPlatform();
    const stack = await applied(platform);
    expect((await stack.run("workspace", "new", "other")).code).toBe(0);
    await stack.expectApply(0);
    expect(platform.starts).toBe(2);
    expect((await stack.run("workspace", "select", "default")).code).toBe(0);
    await stack.expectNothingToDo();
  });

  it("leaves nothing in the temporary folder, whether Terraform ends by itself or is killed", async () => {
    const platform = await terraformPlatform();
    const stack = await TerraformStack.create(platform, hclSiteAndBundle);
    // A pipeline's temporary folder may have a path of 90 characters. Go providers work with such a path.
    const longest = join(stack.folder, "t".repeat(90 - stack.folder.length - 1));
    mkdirSync(longest);
    stack.environment.TMPDIR = longest;
    const left = () => readdirSync(String(stack.environment.TMPDIR)).filter((name) => name.startsWith("plugin"));
    expect((await stack.apply()).code).toBe(0);
    expect(left()).toEqual([]);
    platform.inject({ operation: "startExport", kind: "delay", ms: 1_000 });
    const run = stack.start("apply", "-auto-approve", `-replace=${siteAddress}`);
    await until(() => platform.counts.startExport === 2);
    expect(left()).not.toEqual([]);
    process.kill(run.pid, "SIGKILL");
    await run.ended;
    await until(() => left().length === 0, 200);
  });

  it("is served in plain text where TF_DISABLE_PLUGIN_TLS asks for it, on a socket of this user alone", async () => {
    const platform = await terraformPlatform();
    const stack = await TerraformStack.create(platform, hclSiteAndBundle);
    const sockets = mkdtempSync(join(stack.folder, "s"));
    Object.assign(stack.environment, { TF_DISABLE_PLUGIN_TLS: "1", PLUGIN_UNIX_SOCKET_DIR: sockets });
    platform.inject({ operation: "startExport", kind: "delay", ms: 1_000 });
    const run = stack.start("apply", "-auto-approve");
    await until(() => platform.counts.startExport === 1);
    const modes = readdirSync(sockets).map((name) => statSync(join(sockets, name)).mode & 0o777);
    expect(new Set(modes)).toEqual(new Set([0o600]));
    const { code, output } = await run.ended;
    expect(code, output).toBe(0);
    await stack.expectNothingToDo();
  });
});
