import { describe, expect, it } from "vitest";
import { anError, testPlatform, testStack } from "../../support/engineTest";
import { dynamicNode, reference, yaml } from "../plugin/hosts";
import { yamlStack } from "../plugin/yamlStack";

const domain = "docs.example.com";
const warning = /no admin API key is set\. A preview works without it/g;

// test/protocol/missingKey.test.ts holds the provider's answer for each case.
describe.each([dynamicNode, yaml])("without a key, with the host $name", (host) => {
  it("a preview passes with one warning, and with none where nothing changes; an up is the error", async () => {
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

    stack.environment.DOCS_PLATFORM_API_KEY = platform.apiKey;
    expect(await stack.up()).toMatchObject({ code: 0 });
    stack.environment.DOCS_PLATFORM_API_KEY = "";
    const unchanged = await stack.preview("--expect-no-changes");
    expect({ code: unchanged.code, requests: unchanged.requests }, unchanged.output).toEqual({ code: 0, requests: [] });
    expect(unchanged.output).not.toMatch(warning);
  });
});

describe("without a key, a look-up", () => {
  it("is unknown in a preview, with one warning of each process that looks, and an error in a run", async () => {
    const platform = await testPlatform();
    const { jobId } = platform.jobs.add({ domain, status: "completed" });
    const stack = await testStack(platform, {
      lookUp: jobId,
      getExportOutput: { jobId },
      getAgentOutput: { jobId: "agent-1", projectId: "docs" },
    });
    stack.environment.DOCS_PLATFORM_API_KEY = "";
    const { code, output, requests } = await stack.preview();
    expect({ code, requests }, output).toEqual({ code: 0, requests: [] });
    expect(output.match(warning)).toHaveLength(2);
    expect(output).toMatch(/foundStatus *: (output<string>|\[unknown\])/);
    expect(output).toMatch(/export *: (output<string>|\[unknown\])/);
    const run = await stack.up();
    expect({ code: run.code, requests: run.requests }).toEqual({ code: anError, requests: [] });
    expect(run.output).toContain("the setting apiKey is missing");
  });

  it("by a function of the plugin is empty in a preview, with a warning, and an error in a run", async () => {
    const platform = await testPlatform();
    const { jobId } = platform.jobs.add({ domain, status: "completed" });
    const look = { "fn::invoke": { function: "docs-platform:index:getStaticExport", arguments: { jobId } } };
    const stack = await yamlStack(platform, { variables: { look }, outputs: { found: reference("look") } });
    stack.environment.DOCS_PLATFORM_API_KEY = "";
    const { code, output, requests } = await stack.preview();
    expect({ code, requests }, output).toEqual({ code: 0, requests: [] });
    expect(output.match(warning)).toHaveLength(1);
    const run = await stack.up();
    expect({ code: run.code, requests: run.requests }).toEqual({ code: anError, requests: [] });
    expect(run.output).toContain("the setting apiKey is missing");
  });

  it("by a promise cannot be unknown: it is an error that names what can", async () => {
    const stack = await testStack(await testPlatform(), { getExport: { jobId: "job-1" } });
    stack.environment.DOCS_PLATFORM_API_KEY = "";
    const { code, output, requests } = await stack.preview();
    expect({ code, requests }).toEqual({ code: anError, requests: [] });
    expect(output).toContain("In a preview without a key, getStaticExportOutput gives an unknown value and no error");
  });
});
