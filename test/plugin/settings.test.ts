import { describe, expect, it } from "vitest";
import { anError, look, start, tally, testPlatform } from "../support/engineTest";
import { reference, writeProject } from "./hosts";
import { call, siteAndBundle, yamlStack } from "./yamlStack";

const domain = "docs.example.com";
const type = "docs-platform:StaticExport";
const provider = "pulumi:providers:docs-platform";

describe("the settings of the plugin", () => {
  it("are an explicit provider's own arguments before the environment, in one program for two platforms", async () => {
    const [first, second] = [await testPlatform(), await testPlatform()];
    const stack = await yamlStack(first, {
      resources: {
        elsewhere: { type: provider, properties: { baseUrl: second.baseUrl, apiKey: reference("secondKey") } },
        here: { type, properties: { domain } },
        there: { type, properties: { domain }, options: { provider: reference("elsewhere") } },
      },
      configuration: { secondKey: { type: "String", secret: true } },
    });
    await stack.pulumi("config", "set", "--secret", "secondKey", second.apiKey);
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect([first.starts, second.starts]).toEqual([1, 1]);
    expect(await stack.state("there")).toMatchObject({ id: second.jobs.list()[0]?.jobId });
    expect(JSON.stringify(await stack.resources())).not.toContain(second.apiKey);
    // From the state alone, too.
    expect(await stack.refresh()).toMatchObject({ code: 0, requests: [look(first.jobs.list()[0]?.jobId)] });
    expect(second.counts.getExport).toBeGreaterThan(0);
    expect(await stack.destroy()).toMatchObject({ code: 0, requests: [] });
  });

  it("are stored with the key as a secret, also where a program gives it plain, or does not know it yet", async () => {
    const [first, second] = [await testPlatform(), await testPlatform()];
    const elsewhere = (apiKey: string) => ({
      resources: {
        here: { type, properties: { domain } },
        elsewhere: { type: provider, properties: { baseUrl: second.baseUrl, apiKey } },
        there: { type, properties: { domain }, options: { provider: reference("elsewhere") } },
      },
    });
    const stack = await yamlStack(first, elsewhere(reference("here", "jobId")));
    expect(await stack.preview()).toMatchObject({ code: 0 });
    writeProject(stack, "yaml", elsewhere(second.apiKey));
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(second.starts).toBe(1);
    expect(JSON.stringify(await stack.resources())).not.toContain(second.apiKey);
    expect(await stack.up("--expect-no-changes")).toMatchObject({ code: 0, requests: [] });
  });

  it("are the environment before the stack's configuration, and the configuration where there is none", async () => {
    const platform = await testPlatform();
    const stack = await yamlStack(platform);
    const { DOCS_PLATFORM_BASE_URL: baseUrl, DOCS_PLATFORM_API_KEY: apiKey } = stack.environment;
    await stack.pulumi("config", "set", "docs-platform:baseUrl", "http://127.0.0.1:9");
    await stack.pulumi("config", "set", "--secret", "docs-platform:apiKey", String(apiKey));
    stack.environment.DOCS_PLATFORM_API_KEY = undefined;
    expect(await stack.up()).toMatchObject({ code: 0 });
    stack.environment.DOCS_PLATFORM_BASE_URL = undefined;
    await stack.pulumi("config", "set", "docs-platform:baseUrl", String(baseUrl));
    expect(await stack.up()).toMatchObject({ code: 0, requests: [] });
    expect(platform.starts).toBe(1);
  });

  it("are those of now in a refresh: a key that was rotated in the configuration is seen", async () => {
    const platform = await testPlatform();
    const stack = await yamlStack(platform);
    stack.environment.DOCS_PLATFORM_API_KEY = undefined;
    await stack.pulumi("config", "set", "--secret", "docs-platform:apiKey", platform.apiKey);
    expect(await stack.up()).toMatchObject({ code: 0 });
    platform.apiKey = "svc_rotated-0123456789";
    await stack.pulumi("config", "set", "--secret", "docs-platform:apiKey", platform.apiKey);
    expect(await stack.refresh()).toMatchObject({ code: 0 });
  });
});

describe("a key of the environment", () => {
  it("that the stack's configuration leads elsewhere is told, and one whose base URL stands beside it is not", async () => {
    const platform = await testPlatform();
    const stack = await yamlStack(platform);
    await stack.pulumi("config", "set", "docs-platform:baseUrl", platform.baseUrl);
    const told = /the key of DOCS_PLATFORM_API_KEY goes to .*, which docs-platform:baseUrl names/g;
    expect((await stack.preview()).output).not.toMatch(told);
    stack.environment.DOCS_PLATFORM_BASE_URL = undefined;
    const { code, output } = await stack.preview();
    expect(code, output).toBe(0);
    expect(output.match(told)).toHaveLength(1);
  });
});

describe("settings that cannot be", () => {
  it("are refused in a preview where they are missing, naming both ways to give them", async () => {
    const stack = await yamlStack(await testPlatform());
    stack.environment.DOCS_PLATFORM_API_KEY = undefined;
    const { code, output, requests } = await stack.preview();
    expect({ code, requests }).toEqual({ code: anError, requests: [] });
    expect(output).toContain("the setting apiKey is missing: set DOCS_PLATFORM_API_KEY in the environment");
    expect(output).toContain("pulumi config set --secret docs-platform:apiKey");
  });

  it("are refused where the stack's configuration has a key that does not exist, naming those that do", async () => {
    const stack = await yamlStack(await testPlatform());
    await stack.pulumi("config", "set", "docs-platform:baseURL", "https://api.example.com");
    const { code, output } = await stack.preview();
    expect(code).toEqual(anError);
    expect(output).toMatch(/baseURL.* is not a setting of this provider; it has apiKey, baseUrl, projectId/);
  });

  it("are refused where a value is of a wrong type, and the key is not shown", async () => {
    const platform = await testPlatform();
    const stack = await yamlStack(platform);
    await stack.pulumi("config", "set", "docs-platform:maxRetries", "many");
    const first = await stack.preview();
    expect(first.code).toEqual(anError);
    expect(first.output).toMatch(/maxRetries.* must be a whole number from 0 to 20/);
    await stack.pulumi("config", "set", "docs-platform:maxRetries", "2");
    await stack.pulumi("config", "set", "--secret", "docs-platform:apiKey", "wrong-key-0123");
    stack.environment.DOCS_PLATFORM_API_KEY = undefined;
    const second = await stack.preview();
    expect(second.code).toEqual(anError);
    expect(second.output).toContain("apiKey is not an admin API key");
    expect(second.output).not.toContain("wrong-key-0123");
  });

  it("are refused where a secret would become an id, which everybody sees", async () => {
    const platform = await testPlatform();
    const { jobId } = platform.jobs.add({ domain, status: "completed" });
    const site = { type, properties: { domain, jobId: { "fn::secret": jobId } } };
    const { code, output } = await (await yamlStack(platform, { resources: { site } })).up();
    expect(code).toEqual(anError);
    expect(output).toContain("jobId is secret, and the id of this resource, which everybody sees, is made of it");
  });

  it("are refused where a resource has no such input, as the language's own check has it", async () => {
    const site = { type, properties: { domain, domian: "x" } };
    const { code, output } = await (await yamlStack(await testPlatform(), { resources: { site } })).preview();
    expect(code).toEqual(anError);
    expect(output).toContain("domian");
  });
});

describe("the functions of the plugin", () => {
  it("look jobs up, make Helm values with the link as a secret, and tell what a deployment offers", async () => {
    const platform = await testPlatform();
    const { jobId } = platform.jobs.add({ domain, status: "completed" });
    const stack = await yamlStack(platform, {
      resources: siteAndBundle.resources ?? {},
      variables: {
        found: call("getStaticExport", { jobId }),
        values: call("helmValues", {
          bundle: { bundleUrl: reference("bundle", "bundleUrl"), version: reference("bundle", "version") },
        }),
        offered: call("featureAvailability", { deploymentType: "air-gapped" }),
      },
      outputs: {
        status: reference("found", "status"),
        values: reference("values"),
        bundleUrl: reference("bundle", "bundleUrl"),
        search: reference("offered", "documentationSearch"),
        export: reference("offered", "staticExportBundle"),
      },
    });
    const { code, output, requests } = await stack.up();
    expect(code, output).toBe(0);
    expect(tally(requests)).toMatchObject({ [start]: 1, [look(jobId)]: 1 });
    const outputs = await stack.outputs();
    expect(outputs).toMatchObject({ status: "completed", search: "unavailable", export: "available" });
    const version = platform.jobs.list().at(-1)?.jobId;
    expect(outputs.values).toEqual({ staticExport: { enabled: true, bundleUrl: outputs.bundleUrl, version } });
  });

  it("fail with the error codes of the resources", async () => {
    const variables = { found: call("getStaticExport", { jobId: "unheard-of" }) };
    const { code, output } = await (
      await yamlStack(await testPlatform(), { variables, outputs: { status: reference("found", "status") } })
    ).preview();
    expect(code).toEqual(anError);
    expect(output).toMatch(/DOCS_NOT_FOUND: .*unheard-of/);
  });
});

describe("a wait in the plugin", () => {
  it("ends when customTimeouts does, keeps the job, and goes on in the next run", async () => {
    const platform = await testPlatform({ jobTime: 600_000 });
    const site = (create: string) => ({
      resources: { site: { type, properties: { domain }, options: { customTimeouts: { create, update: create } } } },
    });
    const stack = await yamlStack(platform, site("5s"));
    const first = await stack.up();
    expect(first.code).toEqual(anError);
    expect(first.output).toContain("when waitTimeout (5s, of customTimeouts) ended");
    expect(first.output).toMatch(/StaticExport site creating.* docs\.example\.com: running, \d+ %/);
    const jobId = String(platform.jobs.list()[0]?.jobId);
    expect(await stack.state("site")).toMatchObject({ id: jobId, initErrors: [expect.stringContaining(jobId)] });
    expect((await stack.up()).output).toContain("DOCS_WAIT_TIMEOUT");
    platform.jobs.complete(jobId);
    writeProject(stack, "yaml", site("10m"));
    expect(await stack.up()).toMatchObject({ code: 0, requests: [look(jobId)] });
    expect(platform.starts).toBe(1);
  });
});
