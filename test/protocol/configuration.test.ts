import { describe, expect, it } from "vitest";
import { look, testPlatform } from "../support/engineTest";
import { secret, secretNames, unknownValue } from "../support/protocol/messages";
import { pluginProcess } from "../support/protocol/protocolHosts";
import { ProviderClient, urnOf } from "../support/protocol/providerClient";
import { EngineEnd, startPlugin } from "../support/protocol/providerProcess";

const domain = "docs.example.com";
const site = urnOf("StaticExport", "site");
const key = "svc_of-an-argument";

/** Starts a plugin as an engine does, with these variables in its environment. */
async function pluginWith(environment: NodeJS.ProcessEnv) {
  const engine = await EngineEnd.start();
  return { engine, client: new ProviderClient(await startPlugin(environment, engine.address)) };
}

describe("the configuration of a provider", () => {
  it("keeps the key secret, also where the program gives it plain or does not know it yet", async () => {
    const { client } = await pluginWith({});
    for (const apiKey of [key, secret(key), unknownValue]) {
      const { inputs, failures } = await client.checkConfig({ baseUrl: "https://x.example", apiKey }, "elsewhere");
      expect(failures).toEqual([]);
      expect(secretNames(inputs)).toEqual(["apiKey"]);
    }
  });

  it("replaces nothing where it changes, and changes nothing where it stays", async () => {
    const { client } = await pluginWith({});
    const [before, after] = [{ baseUrl: "https://x.example", apiKey: secret(key) }, { apiKey: secret("svc_other") }];
    expect(await client.diffConfig(before, before)).toMatchObject({ changes: false, replaces: [] });
    expect(await client.diffConfig(before, after)).toMatchObject({ changes: true, replaces: [] });
  });

  it("is refused where there is no such setting or the value is of a wrong type, without the key", async () => {
    const { client } = await pluginWith({});
    const given = { baseURL: "https://api.example.com", maxRetries: "many", apiKey: secret("Bearer wrong-key-0123") };
    const { failures } = await client.checkConfig(given);
    expect(failures).toEqual([
      { property: "", reason: expect.stringMatching(/^DOCS_CONFIGURATION: apiKey begins with a word/) },
      {
        property: "baseURL",
        reason: expect.stringMatching(
          /^DOCS_CONFIGURATION: is not a setting of this provider, which has apiKey, apiKeyFile, apiKeyCommand, baseUrl, projectId/,
        ),
      },
      { property: "maxRetries", reason: "DOCS_CONFIGURATION: must be a whole number from 0 to 20" },
    ]);
    expect(JSON.stringify(failures)).not.toContain("wrong-key-0123");
  });
});

describe("the diff of a resource", () => {
  const inputs = { domain, waitTimeout: "30m" };
  const outputs = { jobId: "job-1", version: "job-1", domain, status: "completed", __origin: "https://x.example" };
  const known = { id: "job-1", inputs, outputs };

  it("names the input that replaces it, and how each other one changes", async () => {
    const { client } = await pluginProcess(await testPlatform());
    const { replaces, detailed } = await client.diff(site, known, { domain: "other.example.com", waitTimeout: "1h" });
    expect(replaces).toEqual(["domain"]);
    expect(detailed).toEqual({ domain: "UPDATE_REPLACE", waitTimeout: "UPDATE" });
  });

  it("tells of a renewal no change of an input, and which outputs stay", async () => {
    const { client } = await pluginProcess(await testPlatform());
    const past = new Date(Date.now() - 60_000).toISOString();
    const link = { jobId: "job-1", version: "job-1", bundleUrl: secret("https://x/"), issuedAt: past, expiresAt: past };
    const urn = urnOf("ExportBundle", "bundle");
    const { inputs: checked } = await client.check(urn, { jobId: "job-1", version: "job-1" });
    const bundle = { id: "job-1", inputs: checked, outputs: { ...link, __origin: "https://x.example" } };
    const diff = await client.diff(urn, bundle, checked);
    expect(diff).toMatchObject({ changes: true, replaces: [], detailed: undefined });
    expect(diff.stables).toEqual(expect.arrayContaining(["jobId", "version"]));
    for (const changing of ["bundleUrl", "issuedAt", "expiresAt"]) {
      expect(diff.stables).not.toContain(changing);
    }
  });
});

describe("the functions of the plugin", () => {
  it("look a job up, and fail with the error codes of the resources", async () => {
    const platform = await testPlatform();
    const { client } = await pluginProcess(platform);
    const { jobId } = platform.jobs.add({ domain, status: "completed" });
    expect((await client.invoke("getStaticExport", { jobId })).result).toMatchObject({ jobId, status: "completed" });
    expect(platform.requests.map(({ method, path }) => `${method} ${path.replace(/^\/v\d/, "")}`)).toEqual([
      look(jobId),
    ]);
    await expect(client.invoke("getStaticExport", { jobId: "unheard-of" })).rejects.toThrow(
      /DOCS_NOT_FOUND: .*unheard-of/,
    );
  });

  it("tell what a deployment offers", async () => {
    const { client } = await pluginWith({});
    expect((await client.invoke("featureAvailability", { deploymentType: "air-gapped" })).result).toMatchObject({
      documentationSearch: "unavailable",
      staticExportBundle: "available",
    });
  });
});

describe("a wait in the plugin", () => {
  it("ends when customTimeouts does and keeps the job, in a creation and in each run that goes on with it", async () => {
    const platform = await testPlatform({ jobTime: 600_000 });
    const { client, engine } = await pluginProcess(platform);
    const saved = (error: { saved?: unknown }) => error.saved;
    const created = await client.create(site, { domain }, { timeout: 5 }).then(() => undefined, saved);
    const jobId = String(platform.jobs.list()[0]?.jobId);
    const reasons = [expect.stringContaining("when waitTimeout (5s, of customTimeouts) ended")];
    expect(created).toMatchObject({ id: jobId, reasons, outputs: { jobId, status: expect.stringMatching(/running/) } });
    const known = { ...(created as { id: string; outputs: object }), inputs: { domain } };
    const held = { ...known, outputs: { ...known.outputs } };
    expect(await client.diff(site, held, { domain })).toMatchObject({ changes: true, replaces: [] });
    await expect(client.update(site, held, { domain }, { timeout: 1 })).rejects.toMatchObject({ saved: { id: jobId } });
    platform.jobs.complete(jobId);
    expect(await client.update(site, held, { domain }, { timeout: 600 })).toMatchObject({ status: "completed" });
    expect(platform.starts).toBe(1);
    expect(engine.log.join("\n")).toMatch(/^\d+ %.* running, \d+s elapsed, .*docs\.example\.com/m);
  });
});
