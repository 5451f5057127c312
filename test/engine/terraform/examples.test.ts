import { existsSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectRoot } from "../../../tools/projectRoot";
import { startCraneRegistry } from "../../../tools/servers/startCraneRegistry";
import { mint, start, tally } from "../../support/engineTest";
import { requireTool } from "../../support/requireTool";
import { TerraformStack, terraformPlatform } from "../../support/terraformStack";

const folder = join(projectRoot, "examples", "terraform");

/** Applies an example as it is, and plans it again. */
async function run(name: string, ...variables: string[]): Promise<{ stack: TerraformStack; requests: string[] }> {
  const platform = await terraformPlatform();
  const stack = await TerraformStack.create(platform, "");
  stack.write(readFileSync(join(folder, name, "main.tf"), "utf8"), "");
  const { code, output, requests } = await stack.apply(...variables);
  expect(code, output).toBe(0);
  return { stack, requests };
}

describe.skipIf(!requireTool("terraform")).concurrent("the examples for Terraform", () => {
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
    expect(await stack.plan("-var=folder=copies")).toMatchObject({ code: 0, requests: [] });
  });

  it.skipIf(!requireTool("go"))(
    "airGap: an image with its digest (crane built with go)",
    async ({ onTestFinished }) => {
      const registry = await startCraneRegistry(mkdtempSync(join(tmpdir(), "registry-")));
      onTestFinished(() => registry.close());
      const { stack } = await run("airGap", `-var=registry=${registry.host}`);
      const { output } = await stack.run("output", "-raw", "url");
      expect(output).toMatch(new RegExp(`^${registry.host}/docs@sha256:[0-9a-f]{64}$`));
      expect(await stack.plan(`-var=registry=${registry.host}`)).toMatchObject({ code: 0, requests: [] });
    },
  );

  it("ephemeralLink: the link does its work, and lies in neither state nor plan", async () => {
    const { stack, requests } = await run("ephemeralLink");
    expect(existsSync(join(stack.folder, "bundle.tar.gz"))).toBe(true);
    expect(readFileSync(stack.stateFile, "utf8")).not.toContain("X-Amz-Signature");
    const jobId = String(stack.state("docsplatform_static_export.site")?.attributes.job_id);
    expect(tally(requests)[mint(jobId)]).toBe(1);
  });
});
