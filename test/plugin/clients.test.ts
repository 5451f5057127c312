import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Platform } from "../../simulator/index";
import { testPlatform } from "../support/engineTest";
import { reference } from "./hosts";
import { engineAddress, PluginClient, startPlugin } from "./pluginProcess";
import { yamlStack } from "./yamlStack";

function environmentOf({ baseUrl, apiKey }: Platform): NodeJS.ProcessEnv {
  const journal = mkdtempSync(join(tmpdir(), "journal-"));
  onTestFinished(() => rmSync(journal, { recursive: true, force: true }));
  return {
    DOCS_PLATFORM_BASE_URL: baseUrl,
    DOCS_PLATFORM_API_KEY: apiKey,
    DOCS_PLATFORM_JOURNAL_DIR: journal,
  };
}

const settingsOf = ({ baseUrl, apiKey }: Platform) => ({ baseUrl, apiKey });

async function until(holds: () => boolean): Promise<void> {
  await expect.poll(holds, { timeout: 30_000, interval: 10 }).toBe(true);
}

describe("a process that an engine has started", () => {
  it("takes no second configuration that changes anything: its key goes to no other origin", async () => {
    const [ours, theirs] = [await testPlatform(), await testPlatform()];
    const port = await startPlugin(environmentOf(ours), await engineAddress());
    const [engine, neighbour] = [new PluginClient(port), new PluginClient(port)];
    await engine.configure({});
    for (const settings of [{ baseUrl: theirs.baseUrl }, settingsOf(theirs), { apiKey: "svc_theirs" }]) {
      await expect(neighbour.configure(settings, "theirs")).rejects.toThrow(
        `has its settings already, and its key goes to ${ours.baseUrl} alone`,
      );
    }
    await expect(neighbour.attach(await engineAddress())).rejects.toThrow("serves the engine that has started it");
    await expect(neighbour.configure({ baseUrl: theirs.baseUrl }, "theirs")).rejects.toThrow("already");
    await neighbour.createExport("a.example.com");
    await engine.configure({});
    await engine.createExport("b.example.com");
    expect([ours.starts, theirs.requests.length]).toEqual([2, 0]);
  });

  it("that another program has configured first fails its engine's run, and says why", async () => {
    const [ours, theirs] = [await testPlatform(), await testPlatform()];
    const port = await startPlugin(environmentOf(ours), await engineAddress());
    await new PluginClient(port).configure(settingsOf(theirs), "theirs");
    await expect(new PluginClient(port).configure({})).rejects.toThrow(
      "another program of this machine talks to the plugin",
    );
  });

  it("serves it on whatever connection, since a connection that rests is made anew", async () => {
    const [environment, explicit] = [await testPlatform(), await testPlatform()];
    const port = await startPlugin(environmentOf(environment), await engineAddress());
    await new PluginClient(port).configure(settingsOf(explicit), "explicit");
    await new PluginClient(port).createExport("a.example.com");
    expect([environment.starts, explicit.starts]).toEqual([0, 1]);
  });
});

describe("a process to which engines attach", () => {
  it("keeps the settings of two explicit providers apart", async () => {
    const [first, second] = [await testPlatform(), await testPlatform()];
    const port = await startPlugin(environmentOf(first), undefined);
    const clients = [new PluginClient(port), new PluginClient(port)] as const;
    const engine = await engineAddress();
    for (const [index, platform] of [first, second].entries()) {
      await clients[index]?.attach(engine);
      await clients[index]?.configure(settingsOf(platform), `provider${index}`);
    }
    const ids = [await clients[0].createExport("a.example.com"), await clients[1].createExport("b.example.com")];
    expect(ids).toEqual([first.jobs.list()[0]?.jobId, second.jobs.list()[0]?.jobId]);
    await expect(clients[1].configure(settingsOf(first), "provider1")).rejects.toThrow("has its settings already");
  });

  it("keeps them apart for the real engine too, in one run after the other", async () => {
    const [first, second] = [await testPlatform(), await testPlatform()];
    const port = await startPlugin({}, undefined);
    const resources = [first, second].flatMap((platform, index) => [
      [`provider${index}`, { type: "pulumi:providers:docs-platform", properties: settingsOf(platform) }],
      [
        `site${index}`,
        {
          type: "docs-platform:StaticExport",
          properties: { domain: "docs.example.com" },
          options: { provider: reference(`provider${index}`) },
        },
      ],
    ]);
    const stack = await yamlStack(await testPlatform(), { resources: Object.fromEntries(resources) });
    stack.environment.PULUMI_DEBUG_PROVIDERS = `docs-platform:${port}`;
    const up = await stack.up();
    expect(up.code, up.output).toBe(0);
    expect([first.starts, second.starts]).toEqual([1, 1]);
    // Longer than a process that an engine has started outlives it.
    await sleep(4_000);
    expect(await stack.refresh()).toMatchObject({ code: 0 });
  });

  it("cancels what one provider waits for, and not the other's; and serves the next run", async () => {
    const platform = await testPlatform({ jobTime: Number.POSITIVE_INFINITY });
    const port = await startPlugin(environmentOf(platform), undefined);
    const engine = await engineAddress();
    const [first, second, next] = [new PluginClient(port), new PluginClient(port), new PluginClient(port)];
    for (const client of [first, second, next]) {
      await client.attach(engine);
      await client.configure({});
    }
    const cancelled = expect(first.createExport("a.example.com")).rejects.toThrow("DOCS_INTERRUPTED");
    const waiting = second.createExport("b.example.com");
    await until(() => platform.starts === 2);
    await first.cancel();
    await cancelled;
    for (const { jobId } of platform.jobs.list()) {
      platform.jobs.complete(jobId);
    }
    await waiting;
    platform.jobTime = 0;
    await next.createExport("c.example.com");
    expect(platform.starts).toBe(3);
  });

  it("gives the key of its environment to no base URL that another names", async () => {
    const [ours, theirs] = [await testPlatform(), await testPlatform()];
    const { DOCS_PLATFORM_BASE_URL: _, ...environment } = environmentOf(ours);
    const client = new PluginClient(await startPlugin(environment, undefined));
    await client.attach(await engineAddress());
    await expect(client.configure({ baseUrl: theirs.baseUrl }, "theirs")).rejects.toThrow(
      "refused, since any program of this machine can attach: the key of DOCS_PLATFORM_API_KEY goes to",
    );
    await client.configure(settingsOf(theirs), "theirs");
    await client.createExport("a.example.com");
    expect(theirs.requests.every(({ authorized }) => authorized)).toBe(true);
  });
});
