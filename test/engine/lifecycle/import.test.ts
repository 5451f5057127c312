import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Platform } from "../../../simulator/index";
import { variant } from "../../support/campaign";
import type { EngineStack } from "../../support/engineStack";
import { anError, look, mint, siteAndBundle, testPlatform, testStack } from "../../support/engineTest";

const domain = "docs.example.com";
const type = "pulumi-nodejs:dynamic/docs-platform:StaticExport";
const __provider = 'exports.handler = () => require("pulumi-docs-platform/provider").StaticExport;';

/** The documented way to import an existing job into a state without a run of the program. */
function importFile(platform: Platform, jobId: string) {
  const outputs = {
    jobId,
    domain,
    status: "not seen yet",
    version: jobId,
    __adopted: true,
    __origin: platform.baseUrl,
    __provider,
  };
  return { resources: [{ type, name: "site", id: jobId, inputs: { domain, __provider }, outputs }] };
}

function importInto(stack: EngineStack, file: unknown) {
  writeFileSync(join(stack.folder, "import.json"), JSON.stringify(file));
  return stack.pulumi(
    "import",
    "--file",
    "import.json",
    "--yes",
    "--skip-preview",
    "--protect=false",
    "--generate-code=false",
  );
}

describe("pulumi import -f with the full state of an export", () => {
  it("takes the job in without a request; the next run looks at it, starts none, and from then on nothing changes", async () => {
    const platform = await testPlatform();
    const { jobId } = platform.jobs.add({ domain, status: "completed" });
    const stack = await testStack(platform, siteAndBundle);
    expect(await importInto(stack, importFile(platform, jobId))).toMatchObject({ code: 0, requests: [] });
    expect(await stack.up()).toMatchObject({ code: 0, requests: [look(jobId), mint(jobId)] });
    expect(await stack.outputs()).toMatchObject({ jobId, status: "completed", version: jobId });
    expect(await stack.up("--expect-no-changes")).toMatchObject({ code: 0, requests: [] });
    expect(await stack.refresh()).toMatchObject({ code: 0, requests: [look(jobId)] });
    expect(await stack.destroy()).toMatchObject({ code: 0, requests: [] });
    expect(platform.starts).toBe(0);
  });

  it("of a job that the platform does not know is an error at the next run, and never a start", async () => {
    const platform = await testPlatform();
    const stack = await testStack(platform, { site: { domain } });
    expect(await importInto(stack, importFile(platform, "unheard-of"))).toMatchObject({ code: 0 });
    for (const _ of [1, 2]) {
      const { code, output, requests } = await stack.up();
      expect({ code, requests }).toEqual({ code: anError, requests: [look("unheard-of")] });
      expect(output).toContain("DOCS_NOT_FOUND");
    }
  });

  variant("of a job of another platform is refused at the next run, naming both", async () => {
    const [platform, other] = [await testPlatform(), await testPlatform()];
    const { jobId } = platform.jobs.add({ domain, status: "completed" });
    const stack = await testStack(platform, { site: { domain } });
    await importInto(stack, importFile(other, jobId));
    const { code, output, requests } = await stack.up();
    expect({ code, requests }).toEqual({ code: anError, requests: [] });
    expect(output).toContain("DOCS_ORIGIN");
    expect(output).toContain(other.baseUrl);
  });
});

describe("StaticExport.get", () => {
  it("costs one GET in each pass, and tells only what the API returns, also of a job that runs", async () => {
    const platform = await testPlatform({ jobTime: 600_000, dialect: { times: false, extraFields: false } });
    const { jobId } = platform.jobs.add({ domain });
    const stack = await testStack(platform, { lookUp: jobId });
    expect(await stack.preview()).toMatchObject({ code: 0, requests: [look(jobId)] });
    expect(await stack.up()).toMatchObject({ code: 0, requests: [look(jobId)] });
    expect(await stack.outputs()).toEqual({ foundStatus: "running" });
    platform.jobs.complete(jobId);
    expect(await stack.up()).toMatchObject({ code: 0, requests: [look(jobId)] });
    expect(await stack.outputs()).toEqual({ foundStatus: "completed" });
    expect(await stack.destroy()).toMatchObject({ code: 0 });
    expect(platform.starts).toBe(0);
  });

  it("of a job that the platform does not know is an error", async () => {
    const { code, output } = await (await testStack(await testPlatform(), { lookUp: "unheard-of" })).up();
    expect(code).toEqual(anError);
    expect(output).toMatch(/DOCS_NOT_FOUND: .*unheard-of/);
  });
});
