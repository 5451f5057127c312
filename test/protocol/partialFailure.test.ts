import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Platform } from "../../simulator/index";
import { look, requestsTo, start, tally, testPlatform } from "../support/engineTest";
import { DynamicProviderProcess } from "../support/protocol/dynamicProvider";
import { hosts } from "../support/protocol/protocolHosts";
import { ProviderError } from "../support/protocol/providerClient";
import { temporaryFolder } from "../support/temporaryFolder";

const always = { operation: "getExport", after: 1, count: Number.POSITIVE_INFINITY } as const;

/** The events that end the wait by the second poll of the job. */
const ends: [string, string, (platform: Platform) => void][] = [
  ["a network that breaks", "DOCS_CONNECTION", (platform) => platform.inject({ ...always, kind: "reset" })],
  ["answers that are cut off", "DOCS_CONNECTION", (platform) => platform.inject({ ...always, kind: "truncate" })],
  ["a broken body", "DOCS_RESPONSE_SHAPE", (platform) => platform.inject({ ...always, kind: "brokenBody" })],
  ["an outage", "DOCS_SERVER", (platform) => platform.inject({ ...always, kind: "status", status: 503 })],
  [
    "a key that is revoked",
    "DOCS_AUTHENTICATION",
    (platform) => platform.inject({ ...always, kind: "status", status: 401 }),
  ],
];

describe("a wait that is ended by", () => {
  it.each(ends)("%s, has the job saved, also through a refresh, and starts none afterwards", async (_, code, come) => {
    const platform = await testPlatform({ jobTime: 600_000 });
    const environment = { DOCS_PLATFORM_MAX_RETRIES: "0" };
    const site = (await DynamicProviderProcess.start(platform, { environment })).resource("StaticExport");
    come(platform);
    const { inputs } = await site.check({ domain: "docs.example.com" });
    const { message, saved } = await site.create(inputs).catch((error) => error);
    const jobId = String(platform.jobs.list()[0]?.jobId);
    expect(tally(requestsTo(platform))).toEqual({ [start]: 1, [look(jobId)]: 2 });
    expect(message).toContain(code);
    expect(message).toContain(`Exists now: export job ${jobId}, last seen "running"`);
    expect(message).toContain("continues to wait for this job, and starts no new job");
    expect(saved).toMatchObject({ id: jobId, properties: { jobId, status: "running" } });

    platform.clearFaults();
    platform.resetCounts();
    const refreshed = (await site.read(saved)) ?? saved;
    expect(refreshed.properties).toMatchObject({ jobId, status: "running" });
    expect(await site.diff(refreshed, inputs)).toEqual({ changes: true, replaces: [] });
    // A destroy would forget it without a request.
    await site.delete(refreshed);
    platform.jobs.complete(jobId);
    const done = await site.update(refreshed, inputs);
    expect(done.properties).toMatchObject({ jobId, status: "completed" });
    expect(requestsTo(platform)).toEqual([look(jobId), look(jobId)]);
    expect(await site.diff(done, inputs)).toEqual({ changes: false, replaces: [] });
  });
});

describe.each(Object.entries(hosts))(
  "a create that fails, which a newer engine tries again by an update, %s",
  (_, host) => {
    it("goes on with its job at once, with no check, plan or read between", async () => {
      const platform = await testPlatform({ jobTime: 600_000 });
      const { client, urnOf, ownInputs } = await host(platform, { environment: { DOCS_PLATFORM_MAX_RETRIES: "0" } });
      const urn = urnOf("StaticExport", "site");
      const { inputs } = await client.check(urn, { ...ownInputs("StaticExport", "site"), domain: "docs.example.com" });
      platform.inject({ ...always, kind: "reset", count: 2 });
      const failed: unknown = await client.create(urn, inputs).catch((error) => error);
      const saved = failed instanceof ProviderError ? failed.saved : undefined;
      const jobId = String(platform.jobs.list()[0]?.jobId);
      expect(saved).toMatchObject({ id: jobId, outputs: { jobId, status: "running" } });

      const known = { id: jobId, inputs, outputs: { ...saved?.outputs } };
      const again: unknown = await client.update(urn, known, inputs).catch((error) => error);
      expect(again).toMatchObject({ saved: { id: jobId, outputs: { jobId } } });
      platform.jobs.complete(jobId);
      expect(await client.update(urn, known, inputs)).toMatchObject({ jobId, status: "completed" });
      expect(tally(requestsTo(platform))[start]).toBe(1);
      expect(platform.jobs.list()).toHaveLength(1);
    });
  },
);

describe.each(Object.entries(hosts))(
  "a wait that goes on, and that the engine replaces (replaceOnChanges), %s",
  (_, host) => {
    it("goes on in the replacement, and the old resource goes without a word", async () => {
      const platform = await testPlatform({ jobTime: 600_000 });
      const folder = temporaryFolder();
      const environment = { DOCS_PLATFORM_MAX_RETRIES: "0", DOCS_PLATFORM_JOURNAL: join(folder, "journal") };
      const first = await host(platform, { environment });
      const urn = first.urnOf("StaticExport", "site");
      const news = { ...first.ownInputs("StaticExport", "site"), domain: "docs.example.com" };
      const { inputs } = await first.client.check(urn, news);
      platform.inject({ ...always, kind: "reset", count: 1 });
      const failed: unknown = await first.client.create(urn, inputs).catch((error) => error);
      const saved = failed instanceof ProviderError ? failed.saved : undefined;
      const jobId = String(platform.jobs.list()[0]?.jobId);
      const known = { id: jobId, inputs, outputs: { ...saved?.outputs } };

      const { client } = await host(platform, { environment });
      await client.check(urn, news, inputs);
      expect(await client.diff(urn, known, inputs)).toMatchObject({ changes: true, replaces: [] });
      platform.jobs.complete(jobId);
      expect(await client.create(urn, inputs)).toMatchObject({ id: jobId, outputs: { jobId, status: "completed" } });
      await client.delete(urn, known);
      expect(tally(requestsTo(platform))[start]).toBe(1);
    });
  },
);
