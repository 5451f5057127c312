import { describe, expect, it } from "vitest";
import type { Platform } from "../../simulator/index";
import { testPlatform } from "../support/engineTest";
import { environmentOf } from "../support/protocol/protocolHosts";
import { ProviderClient, urnOf } from "../support/protocol/providerClient";
import { EngineEnd, startPlugin } from "../support/protocol/providerProcess";

const settingsOf = ({ baseUrl, apiKey }: Platform) => ({ baseUrl, apiKey });

/** Starts an export and waits for it; resolves with the job's id. */
async function createExport(client: ProviderClient, domain: string): Promise<string> {
  return (await client.create(urnOf("StaticExport", domain), { domain })).id;
}

describe("a process that an engine has started", () => {
  it("takes no second configuration that changes anything: its key goes to no other origin", async () => {
    const [ours, theirs] = [await testPlatform(), await testPlatform()];
    const port = await startPlugin(environmentOf(ours), (await EngineEnd.start()).address);
    const [engine, neighbour] = [new ProviderClient(port), new ProviderClient(port)];
    await engine.configure({});
    for (const settings of [{ baseUrl: theirs.baseUrl }, settingsOf(theirs), { apiKey: "svc_theirs" }]) {
      await expect(neighbour.configure(settings, "theirs")).rejects.toThrow(
        `is already configured, and sends its key only to ${ours.baseUrl}`,
      );
    }
    await expect(neighbour.attach((await EngineEnd.start()).address)).rejects.toThrow(
      "serves only the engine that started it",
    );
    await expect(neighbour.configure({ baseUrl: theirs.baseUrl }, "theirs")).rejects.toThrow("already");
    await createExport(neighbour, "a.example.com");
    await engine.configure({});
    await createExport(engine, "b.example.com");
    expect([ours.starts, theirs.requests.length]).toEqual([2, 0]);
  });

  it("that another program has configured first fails its engine's run, and says why", async () => {
    const [ours, theirs] = [await testPlatform(), await testPlatform()];
    const port = await startPlugin(environmentOf(ours), (await EngineEnd.start()).address);
    await new ProviderClient(port).configure(settingsOf(theirs), "theirs");
    await expect(new ProviderClient(port).configure({})).rejects.toThrow(
      "another program on this machine is calling the plugin",
    );
  });
});

describe("a process to which engines attach", () => {
  it("serves one provider, in one run after the other, and refuses another provider", async () => {
    const [ours, theirs] = [await testPlatform(), await testPlatform()];
    const port = await startPlugin({}, undefined);
    for (const domain of ["a.example.com", "b.example.com"]) {
      const client = new ProviderClient(port);
      await client.attach((await EngineEnd.start()).address);
      await client.configure(settingsOf(ours), "explicit");
      await createExport(client, domain);
      await expect(client.configure(settingsOf(theirs), "other")).rejects.toThrow("is already configured");
    }
    expect([ours.starts, theirs.requests.length]).toEqual([2, 0]);
  });

  it.each([
    "apiKeyCommand",
    "apiKeyFile",
    "caFile",
    "clientCertFile",
    "clientKeyFile",
    "signingKeyFile",
    "signingKeyCommand",
  ])("takes no %s from whoever connects, which would name a program or a file of this machine", async (name) => {
    const [engine, settings] = [await EngineEnd.start(), settingsOf(await testPlatform())];
    const port = await startPlugin({}, undefined);
    const [attached, other] = [new ProviderClient(port), new ProviderClient(port)];
    await attached.attach(engine.address);
    for (const client of [attached, other]) {
      for (const provider of ["theirs", "default"]) {
        await expect(client.configure({ ...settings, [name]: "/etc/hostname" }, provider)).rejects.toThrow(
          new RegExp(
            `^refused.*: ${name} names a program or a file .* set DOCS_PLATFORM_\\w+ in the environment of this process, or run without PULUMI_DEBUG`,
          ),
        );
      }
      await client.configure(settings);
    }
  });

  it("takes them from its environment, which goes before a stack's configuration that names others", async () => {
    const platform = await testPlatform();
    const { DOCS_PLATFORM_API_KEY: key, ...environment } = environmentOf(platform);
    const command = { DOCS_PLATFORM_API_KEY_COMMAND: `echo ${key}` };
    const client = new ProviderClient(await startPlugin({ ...environment, ...command }, undefined));
    await client.attach((await EngineEnd.start()).address);
    await client.configure({ apiKeyFile: "/etc/hostname" });
    await createExport(client, "a.example.com");
    expect(platform.starts).toBe(1);
  });

  it("gives the key of its environment to no base URL that another names", async () => {
    const [ours, theirs] = [await testPlatform(), await testPlatform()];
    const { DOCS_PLATFORM_BASE_URL: _, ...environment } = environmentOf(ours);
    const client = new ProviderClient(await startPlugin(environment, undefined));
    await client.attach((await EngineEnd.start()).address);
    await expect(client.configure({ baseUrl: theirs.baseUrl }, "theirs")).rejects.toThrow(
      "refused, because any program can attach to this process: the key of DOCS_PLATFORM_API_KEY goes to",
    );
    await client.configure(settingsOf(theirs), "theirs");
    await createExport(client, "a.example.com");
    expect(theirs.requests.every(({ authorized }) => authorized)).toBe(true);
  });
});
