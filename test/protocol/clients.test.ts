import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Platform } from "../../simulator/index";
import { campaign } from "../support/campaign";
import { arbitrarySockets, openArbitrarySockets } from "../support/drawnSockets";
import { testPlatform } from "../support/engineTest";
import { environmentOf } from "../support/protocol/protocolHosts";
import { ProviderClient, urnOf } from "../support/protocol/providerClient";
import { EngineServer, startPlugin } from "../support/protocol/providerProcess";
import { campaignSeed } from "../support/random";

const settingsOf = ({ baseUrl, apiKey }: Platform) => ({ baseUrl, apiKey });

async function createExport(client: ProviderClient, domain: string): Promise<string> {
  return (await client.create(urnOf("StaticExport", domain), { domain })).id;
}

describe("a process that an engine has started", () => {
  it("accepts no second configuration that changes anything: its key goes to no other origin", async () => {
    const [ours, theirs] = [await testPlatform(), await testPlatform()];
    const port = await startPlugin(environmentOf(ours), (await EngineServer.start()).address);
    const [engine, neighbour] = [new ProviderClient(port), new ProviderClient(port)];
    await engine.configure({});
    for (const settings of [{ baseUrl: theirs.baseUrl }, settingsOf(theirs), { apiKey: "svc_theirs" }]) {
      await expect(neighbour.configure(settings, "theirs")).rejects.toThrow(
        `is already configured, and sends its key only to ${ours.baseUrl}`,
      );
    }
    await expect(neighbour.configure({ baseUrl: theirs.baseUrl }, "theirs")).rejects.toThrow("already");
    await createExport(neighbour, "a.example.com");
    await engine.configure({});
    await createExport(engine, "b.example.com");
    expect([ours.starts, theirs.requests.length]).toEqual([2, 0]);
  });

  it("that another program has configured first fails its engine's run, and says why", async () => {
    const [ours, theirs] = [await testPlatform(), await testPlatform()];
    const port = await startPlugin(environmentOf(ours), (await EngineServer.start()).address);
    await new ProviderClient(port).configure(settingsOf(theirs), "theirs");
    await expect(new ProviderClient(port).configure({})).rejects.toThrow(
      "another program on this machine is calling the plugin",
    );
  });
});

describe("a connection, in whatever state its client leaves it,", () => {
  it("ends no process, and no run has to wait for it", async () => {
    const platform = await testPlatform();
    const port = await startPlugin(environmentOf(platform), (await EngineServer.start()).address);
    const engine = new ProviderClient(port);
    await engine.configure({});
    const opened = fc.asyncProperty(arbitrarySockets, async (sockets) => {
      const close = await openArbitrarySockets(port, sockets);
      await new ProviderClient(port).handshake({});
      close();
    });
    await fc.assert(opened, { seed: campaignSeed(), numRuns: campaign ? 400 : 20 });
    await createExport(engine, "a.example.com");
    expect(platform.starts).toBe(1);
  });
});

describe("a process that no engine has started", () => {
  it("accepts no configuration", async () => {
    const platform = await testPlatform();
    const client = new ProviderClient(await startPlugin(environmentOf(platform), undefined));
    await expect(client.configure(settingsOf(platform))).rejects.toThrow("only an engine that has started it");
    expect(platform.requests).toEqual([]);
  });
});
