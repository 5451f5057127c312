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

async function until(holds: () => boolean): Promise<void> {
  await expect.poll(holds, { timeout: 30_000, interval: 10 }).toBe(true);
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

  it("serves it on whatever connection, since a connection that rests is made anew", async () => {
    const [environment, explicit] = [await testPlatform(), await testPlatform()];
    const port = await startPlugin(environmentOf(environment), (await EngineEnd.start()).address);
    await new ProviderClient(port).configure(settingsOf(explicit), "explicit");
    await createExport(new ProviderClient(port), "a.example.com");
    expect([environment.starts, explicit.starts]).toEqual([0, 1]);
  });
});

describe("a process to which engines attach", () => {
  it("keeps the settings of two explicit providers apart", async () => {
    const [first, second] = [await testPlatform(), await testPlatform()];
    const port = await startPlugin(environmentOf(first), undefined);
    const clients = [new ProviderClient(port), new ProviderClient(port)] as const;
    const engine = (await EngineEnd.start()).address;
    for (const [index, platform] of [first, second].entries()) {
      await clients[index]?.attach(engine);
      await clients[index]?.configure(settingsOf(platform), `provider${index}`);
    }
    const ids = [await createExport(clients[0], "a.example.com"), await createExport(clients[1], "b.example.com")];
    expect(ids).toEqual([first.jobs.list()[0]?.jobId, second.jobs.list()[0]?.jobId]);
    await expect(clients[1].configure(settingsOf(first), "provider1")).rejects.toThrow("is already configured");
  });

  it("cancels what one provider waits for, and not the other's; and serves the next run", async () => {
    const platform = await testPlatform({ jobTime: Number.POSITIVE_INFINITY });
    const port = await startPlugin(environmentOf(platform), undefined);
    const engine = (await EngineEnd.start()).address;
    const [first, second, next] = [new ProviderClient(port), new ProviderClient(port), new ProviderClient(port)];
    for (const client of [first, second, next]) {
      await client.attach(engine);
      await client.configure({});
    }
    const cancelled = expect(createExport(first, "a.example.com")).rejects.toThrow("DOCS_INTERRUPTED");
    const waiting = createExport(second, "b.example.com");
    await until(() => platform.starts === 2);
    await first.cancel();
    await cancelled;
    for (const { jobId } of platform.jobs.list()) {
      platform.jobs.complete(jobId);
    }
    await waiting;
    platform.jobTime = 0;
    await createExport(next, "c.example.com");
    expect(platform.starts).toBe(3);
  });

  it("gives the key of its environment to no base URL that another names", async () => {
    const [ours, theirs] = [await testPlatform(), await testPlatform()];
    const { DOCS_PLATFORM_BASE_URL: _, ...environment } = environmentOf(ours);
    const client = new ProviderClient(await startPlugin(environment, undefined));
    await client.attach((await EngineEnd.start()).address);
    await expect(client.configure({ baseUrl: theirs.baseUrl }, "theirs")).rejects.toThrow(
      "refused, because any program on this machine can attach: the key of DOCS_PLATFORM_API_KEY goes to",
    );
    await client.configure(settingsOf(theirs), "theirs");
    await createExport(client, "a.example.com");
    expect(theirs.requests.every(({ authorized }) => authorized)).toBe(true);
  });
});
