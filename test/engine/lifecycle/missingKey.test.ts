import { describe, expect, it } from "vitest";
import { anError, stackLine, testPlatform, testStack } from "../../support/engineTest";
import { dynamicNode, yaml } from "../plugin/hosts";

const domain = "docs.example.com";
const warning = /no admin API key is set\. A preview works without it/g;

describe.each([dynamicNode, yaml])("without a key, with the host $name", (host) => {
  it("a preview passes with one warning, and an up is the error", async () => {
    const platform = await testPlatform();
    const stack = await testStack(platform, {});
    await host.prepare(stack);
    host.declare(stack, { site: { domain }, bundle: {} });
    stack.environment.DOCS_PLATFORM_API_KEY = "";
    const first = await stack.preview();
    expect({ code: first.code, requests: first.requests }, first.output).toEqual({ code: 0, requests: [] });
    expect(first.output.match(warning)).toHaveLength(1);
    const refused = await stack.up();
    expect({ code: refused.code, requests: refused.requests }).toEqual({ code: anError, requests: [] });
    expect(refused.output).toContain("DOCS_CONFIGURATION: the setting apiKey is missing");
    expect(await stack.state("site")).toBeUndefined();
  });
});

describe("without a key, a look-up", () => {
  it("is unknown in a preview, with one warning of each process that looks; a promise, which cannot be, is an error", async () => {
    const platform = await testPlatform();
    const { jobId } = platform.jobs.add({ domain, status: "completed" });
    const outputs = { getExportOutput: { jobId }, getAgentOutput: { jobId: "agent-1", projectId: "docs" } };
    const stack = await testStack(platform, { lookUp: jobId, ...outputs });
    stack.environment.DOCS_PLATFORM_API_KEY = "";
    const { code, output, requests } = await stack.preview();
    expect({ code, requests }, output).toEqual({ code: 0, requests: [] });
    expect(output.match(warning)).toHaveLength(2);
    expect(output).toMatch(/foundStatus *: (output<string>|\[unknown\])/);
    expect(output).toMatch(/export *: (output<string>|\[unknown\])/);
    stack.declare({ getExport: { jobId } });
    const refused = await stack.preview();
    expect({ code: refused.code, requests: refused.requests }).toEqual({ code: anError, requests: [] });
    expect(refused.output).toContain("does not see the envVars of its stack");
    expect(refused.output).toContain("In a preview without a key, getStaticExportOutput gives an unknown value");
  });
});

describe("a run that cannot begin", () => {
  it("because the base URL is missing is refused in the preview, naming both ways to give it", async () => {
    const stack = await testStack(await testPlatform(), { site: { domain } });
    stack.environment.DOCS_PLATFORM_BASE_URL = " ";
    const { output, ...run } = await stack.preview();
    expect(run).toEqual({ code: anError, requests: [] });
    expect(output).toContain("the setting baseUrl is missing: set DOCS_PLATFORM_BASE_URL");
    expect(output).toContain("pulumi config set docs-platform:baseUrl");
    expect(output).not.toMatch(stackLine);
  });

  it("because an input is undefined, as an output that another stack does not have, is refused by its name", async () => {
    const { output, ...run } = await (await testStack(await testPlatform(), { bundle: {} })).up();
    expect(run).toEqual({ code: anError, requests: [] });
    expect(output).toContain(
      "ExportBundle resource 'bundle': property jobId value {<nil>} has a problem: DOCS_CONFIGURATION: is required",
    );
    expect(output).not.toMatch(/Unexpected struct type|^ +at /m);
  });
});
