import { describe, expect, it } from "vitest";
import { testPlatform } from "../support/engineTest";
import type { Values } from "../support/protocol/messages";
import { hosts, type ProtocolHost } from "../support/protocol/protocolHosts";

const domain = "docs.example.com";
const origin = (baseUrl: string) => new URL(baseUrl).origin;

/** Returns what a process of this host shows for a resource with this state, whose inputs stay the same. */
async function saidOf(host: ProtocolHost, type: string, inputs: Values, outputs: Values): Promise<string[]> {
  const platform = await testPlatform();
  const { client, engine, urnOf, ownInputs } = await host(platform);
  const own = { ...inputs, ...ownInputs(type, "it") };
  const known = { id: "job-1", inputs: own, outputs: { ...own, ...outputs, __origin: origin(platform.baseUrl) } };
  expect(await client.diff(urnOf(type, "it"), known, own)).toMatchObject({ changes: true });
  expect(platform.requests).toEqual([]);
  await expect.poll(() => engine.log).not.toEqual([]);
  return engine.log;
}

describe.each(Object.entries(hosts))("a preview by the %s says once, and without a request,", (_, host) => {
  it("when a link ends, and how long before it is renewed", async () => {
    const inputs = { jobId: "job-1", version: "job-1" };
    const [issuedAt, expiresAt] = [-57, 3.2].map((minutes) => new Date(Date.now() + minutes * 60_000).toISOString());
    expect(
      await saidOf(host, "ExportBundle", inputs, { bundleUrl: "https://files.test/x", issuedAt, expiresAt }),
    ).toEqual([expect.stringMatching(/^link ends in 3m\d\ds \(renewed 10m before\): will be renewed$/)]);
  });

  it("that the job has failed", async () => {
    const state = { jobId: "job-1", version: "job-1", status: "failed" };
    expect(await saidOf(host, "StaticExport", { domain }, state)).toEqual([
      "export job job-1 failed: a new one replaces it",
    ]);
  });

  it("which files of a mirror a refresh has found to differ", async () => {
    const destination = "file:///nowhere";
    const state = {
      ...{ url: destination, sha256: "0", sizeBytes: 1, format: "zip", mirroredAt: "2026-03-01T00:00:00.000Z" },
      ...{ __key: "0", __address: destination, __differs: true, __difference: "2 files differ: a.html, b\u001b[2J" },
    };
    const inputs = { jobId: "job-1", version: "job-1", destination, layout: "site" };
    expect(await saidOf(host, "BundleMirror", inputs, state)).toEqual([
      "2 files differ: a.html, b [2J: will be repaired",
    ]);
  });
});
