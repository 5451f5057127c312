import { describe, expect, it } from "vitest";
import { testPlatform } from "../support/engineTest";
import { output, secret, unknownValue } from "../support/protocol/messages";
import { dynamicProcess, hosts, resourceOn } from "../support/protocol/protocolHosts";

const domain = "docs.example.com";
const theWarning = expect.stringMatching(
  /no admin API key is set\. A preview works without it.*DOCS_PLATFORM_API_KEY .*DOCS_PLATFORM_API_KEY_FILE.*DOCS_PLATFORM_API_KEY_COMMAND/,
);

describe.each(Object.entries(hosts))("without a key, the %s", (_, host) => {
  async function start() {
    const platform = await testPlatform();
    const { client, engine, urnOf, ownInputs } = await host({ baseUrl: platform.baseUrl, apiKey: "" });
    const one = (type: string, name: string) => ({ urn: urnOf(type, name), own: ownInputs(type, name) });
    return { platform, client, engine, site: one("StaticExport", "site"), bundle: one("ExportBundle", "bundle") };
  }

  it("accepts what is to be created, with one warning; the create, which would send, is the error", async () => {
    const { platform, client, engine, site, bundle } = await start();
    const checked = await client.check(site.urn, { ...site.own, domain });
    expect(checked.failures).toEqual([]);
    expect((await client.check(bundle.urn, { ...bundle.own, jobId: unknownValue })).failures).toEqual([]);
    await expect.poll(() => engine.log).toEqual([theWarning]);
    await expect(client.create(site.urn, checked.inputs)).rejects.toThrow(
      "DOCS_CONFIGURATION: the setting apiKey is missing: set DOCS_PLATFORM_API_KEY",
    );
    expect(engine.log).toHaveLength(1);
    expect(platform.requests).toEqual([]);
  });

  it("says nothing of what stays, and makes an update that sends nothing; a due link is reported", async () => {
    const { platform, client, engine, site, bundle } = await start();
    const __origin = platform.baseUrl;
    const inputs = { ...site.own, domain };
    const made = { jobId: "job-1", version: "job-1", domain, status: "completed", __origin };
    const saved = { id: "job-1", inputs, outputs: { ...site.own, ...made } };
    const { inputs: same } = await client.check(site.urn, inputs, inputs);
    expect((await client.diff(site.urn, saved, same)).changes).toBe(false);

    const given = { ...bundle.own, jobId: "job-1" };
    const { inputs: wider } = await client.check(bundle.urn, { ...given, renewBefore: "5m" }, given);
    const link = (expiresAt: number) => ({
      id: "job-1",
      inputs: given,
      outputs: {
        ...{ ...given, version: "job-1", bundleUrl: "https://files.example.com/", __origin },
        issuedAt: new Date().toISOString(),
        expiresAt: new Date(expiresAt).toISOString(),
      },
    });
    const good = link(Date.now() + 3_600_000);
    expect((await client.diff(bundle.urn, good, wider)).changes).toBe(true);
    expect(await client.update(bundle.urn, good, wider)).toMatchObject({ renewBefore: "5m" });

    // The first line of the log must come from this call.
    const { inputs: unsure } = await client.check(site.urn, { ...inputs, triggers: unknownValue }, inputs);
    await client.diff(site.urn, saved, unsure);
    await client.diff(bundle.urn, link(Date.now() - 1_000), wider);
    const assumed = expect.stringContaining("triggers: not known yet");
    const due = expect.stringContaining("will be renewed");
    await expect.poll(() => engine.log).toEqual([assumed, theWarning, due]);
    expect(platform.requests).toEqual([]);
  });
});

describe("without a key, a look-up by the id", () => {
  it("says nothing in a preview, with a warning, and is an error elsewhere", async () => {
    const platform = await testPlatform();
    const { jobId } = platform.jobs.add({ domain, status: "completed" });
    const provider = await dynamicProcess(platform, { environment: { DOCS_PLATFORM_API_KEY: "" } });
    const site = resourceOn(provider, "StaticExport");
    expect(await site.read({ id: jobId, outputs: { __preview: true } })).toMatchObject({
      id: jobId,
      outputs: {},
    });
    await expect.poll(() => provider.engine.warnings).toEqual([theWarning]);
    await expect(site.read({ id: jobId, outputs: {} })).rejects.toThrow("the setting apiKey is missing");
    expect(platform.requests).toEqual([]);
  });

  it("is an error of the plugin in a preview too, since its protocol shows no preview of a read; a function is empty in a preview, with one warning", async () => {
    const platform = await testPlatform();
    const { client, engine, urnOf } = await hosts.plugin({ baseUrl: platform.baseUrl, apiKey: "" });
    const read = client.read(urnOf("StaticExport", "site"), { id: "job-1", inputs: {}, outputs: {} });
    await expect(read).rejects.toThrow("DOCS_CONFIGURATION: the setting apiKey is missing");
    const preview = (name: string, args: object) => client.invoke(name, { ...args }, true);
    const empty = { result: {}, failures: [] };
    expect(await preview("getStaticExport", { jobId: "job-1" })).toEqual(empty);
    expect(await preview("getAgentJob", { jobId: "job-1", projectId: "docs" })).toEqual(empty);
    await expect.poll(() => engine.log).toEqual([theWarning]);
    // These values need no request, so a preview knows them without a key.
    expect((await preview("featureAvailability", { deploymentType: "air-gapped" })).result).not.toEqual({});
    expect(await preview("getStaticExport", {})).toMatchObject({ failures: [{ property: "jobId" }] });
    const called = client.invoke("getStaticExport", { jobId: "job-1" });
    await expect(called).rejects.toThrow("DOCS_CONFIGURATION: the setting apiKey is missing");
    expect(platform.requests).toEqual([]);
  });

  it("has an unknown result from the plugin in a preview, for a newer engine that accepts unknown results of functions", async () => {
    const platform = await testPlatform();
    const { client, engine } = await hosts.plugin({ baseUrl: platform.baseUrl, apiKey: "" });
    const hands = await client.handshake({ invokeWithPreview: true, acceptsOutputsInInvoke: true });
    expect(hands).toMatchObject({ acceptSecrets: true, acceptsOutputsInInvoke: true });
    const dependencies = ["urn:pulumi:test::project::docs-platform:index:StaticExport::site"];
    const names = ["jobId", "status", "source", "model", "prLink", "createdAt", "archivedAt"];
    const args = { jobId: output({ value: "job-1", secret: true, dependencies }), projectId: "docs" };
    const { result, failures } = await client.invoke("getAgentJob", args, true);
    const unknownAgent = names.map((name) => [name, output({ secret: true, dependencies })]);
    expect({ result, failures }).toEqual({ result: Object.fromEntries(unknownAgent), failures: [] });
    await expect.poll(() => engine.log).toEqual([theWarning]);
    expect(platform.requests).toEqual([]);
  });
});

describe("a newer engine, which gives a function output values,", () => {
  it("gets its result as such: what it depends on, and what is not known yet, without a request", async () => {
    const platform = await testPlatform();
    const { jobId } = platform.jobs.add({ domain, status: "completed" });
    const { client } = await hosts.plugin(platform);
    const dependencies = ["urn:pulumi:test::project::docs-platform:index:StaticExport::site"];
    const look = (value: object) => client.invoke("getStaticExport", { jobId: output(value) }, true);

    await client.handshake({ invokeWithPreview: true, acceptsOutputsInInvoke: true });
    const unknownYet = await look({ dependencies });
    expect(unknownYet.result.status).toEqual(output({ secret: false, dependencies }));
    expect(platform.requests).toEqual([]);
    const known = await look({ value: jobId, dependencies });
    expect(known.result.status).toEqual(output({ value: "completed", secret: false, dependencies }));
    expect(platform.requests).toHaveLength(1);
  });

  it("gets plain results where it has not said that it takes others", async () => {
    const platform = await testPlatform();
    const { jobId } = platform.jobs.add({ domain, status: "completed" });
    const { client } = await hosts.plugin(platform);
    expect(await client.handshake({ invokeWithPreview: true })).toMatchObject({ acceptsOutputsInInvoke: false });
    const { result } = await client.invoke("getStaticExport", { jobId: secret(jobId) }, true);
    expect(result.status).toEqual(secret("completed"));
  });
});
