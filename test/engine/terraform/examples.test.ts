import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectRoot } from "../../../tools/projectRoot";
import { mint, start, tally } from "../../support/engineTest";
import { requireTool } from "../../support/requireTool";
import { TerraformStack, terraformPlatform } from "../../support/terraformStack";

const folder = join(projectRoot, "examples", "terraform");

async function run(name: string, ...variables: string[]): Promise<{ stack: TerraformStack; requests: string[] }> {
  const platform = await terraformPlatform();
  const stack = await TerraformStack.reattached(platform, "");
  stack.write(readFileSync(join(folder, name, "main.tf"), "utf8"), "");
  const { code, output, requests } = await stack.apply(...variables);
  expect(code, output).toBe(0);
  return { stack, requests };
}

describe.skipIf(!requireTool("terraform"))("the examples for Terraform", () => {
  it.each(["quickstart", "helmValues", "pinnedRollout", "scheduledRenewal"])(
    "%s: one job, one link, and a plan without changes",
    async (name) => {
      const { stack, requests } = await run(name);
      const { [start]: starts } = tally(requests);
      expect([starts, requests.filter((request) => request.endsWith("/bundle")).length]).toEqual([1, 1]);
      expect(await stack.plan()).toMatchObject({ code: 0, requests: [] });
      if (name === "helmValues") {
        expect(stack.output("values")).toMatch(
          /^"staticExport":\n {2}"bundleUrl": "http.*\n {2}"enabled": true\n {2}"version": "sej_/,
        );
      }
    },
  );

  it("pinnedRollout: a release that the platform does not know leaves the one that is served", async () => {
    const { stack } = await run("pinnedRollout");
    const before = stack.state("docsplatform_static_export.site")?.attributes.job_id;
    const { code, output, requests } = await stack.apply("-var=release=sej_unknown");
    expect({ code, starts: tally(requests)[start] }, output).toEqual({ code: 1, starts: undefined });
    expect(stack.state("docsplatform_static_export.site")?.attributes.job_id).toBe(before);
    expect(stack.output("release")).toBe(before);
  });

  it("mirror: a copy, and values that everybody may read", async () => {
    const { stack } = await run("mirror", "-var=folder=copies");
    const [archive = ""] = readdirSync(join(stack.folder, "copies")).filter((name) => name.endsWith(".gz"));
    const { output } = await stack.run("output", "-raw", "values");
    expect(output).toContain(`https://files.example.com/docs/${encodeURIComponent(archive)}`);
    expect(output).toMatch(/"sha256": "[0-9a-f]{64}"/);
    expect(await stack.plan("-var=folder=copies")).toMatchObject({ code: 0, requests: [] });
  });

  it("airGap: an image with its digest, in a folder", async () => {
    const { stack } = await run("airGap", "-var=folder=carried");
    const { output } = await stack.run("output", "-raw", "url");
    expect(output).toMatch(/^oci-layout:\/\/\/.*\/carried@sha256:[0-9a-f]{64}$/);
    expect(await stack.plan("-var=folder=carried")).toMatchObject({ code: 0, requests: [] });
  });

  it("loneExport: an apply is red until its job is completed, and taints nothing", async () => {
    const platform = await terraformPlatform({ jobTime: Number.POSITIVE_INFINITY });
    const stack = await TerraformStack.reattached(platform, "");
    const example = readFileSync(join(folder, "loneExport", "main.tf"), "utf8");
    const impatient = example.replace('"docs.example.com"\n', '"docs.example.com"\n  wait_timeout = "3s"\n');
    stack.write(impatient, "");
    const { code, output } = await stack.apply();
    expect(code, output).toBe(1);
    expect(output).toContain("Apply again: it waits for the same job");
    expect(stack.state("docsplatform_static_export.site")).toMatchObject({ tainted: false });
    platform.jobs.complete(platform.jobs.list()[0]?.jobId ?? "");
    stack.write(example, "");
    expect(await stack.apply()).toMatchObject({ code: 0 });
    expect(platform.starts).toBe(1);
    expect(await stack.plan()).toMatchObject({ code: 0, requests: [] });
  });

  it("ephemeralLink: the link does its work, and lies in neither state nor plan", async () => {
    const { stack, requests } = await run("ephemeralLink");
    expect(existsSync(join(stack.folder, "bundle.tar.gz"))).toBe(true);
    expect(readFileSync(stack.stateFile, "utf8")).not.toContain("X-Amz-Signature");
    const jobId = String(stack.state("docsplatform_static_export.site")?.attributes.job_id);
    expect(tally(requests)[mint(jobId)]).toBe(1);
  });
});
