import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { StackStateReader } from "../../../../../provider/pulumiEngine/stackState";
import { type Platform, startPlatform } from "../../../../../simulator/index";
import { rejection } from "../../../../support/clientUnderTest";
import { servedResource } from "../../../../support/servedResource";

const StaticExport = servedResource("StaticExport");
const urn = "urn:pulumi:dev::p::t::n";
const inputs = { __provider: "the text", __urn: urn, domain: "docs.example.com", waitTimeout: "2s" };

let platform: Platform;
let folder: string;

beforeEach(async () => {
  platform = await startPlatform({ queueTime: 0, jobTime: 60_000 });
  folder = mkdtempSync(join(tmpdir(), "recorded-"));
  vi.stubEnv("DOCS_PLATFORM_API_KEY", platform.apiKey);
  vi.stubEnv("DOCS_PLATFORM_BASE_URL", platform.baseUrl);
  vi.stubEnv("DOCS_PLATFORM_JOURNAL", join(folder, "journal"));
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await platform.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("a create that the engine repeats in the same process after a partial failure", () => {
  it("continues with the same job, and starts none", async () => {
    const first = await rejection(StaticExport.create(inputs));
    expect(first.message).toContain("DOCS_WAIT_TIMEOUT");
    const again = (await rejection(StaticExport.create(inputs))) as Error & { id: string };
    const [job] = platform.jobs.list();
    platform.jobs.complete(String(job?.jobId));
    expect(await StaticExport.create(inputs)).toMatchObject({ id: job?.jobId, outs: { status: "completed" } });
    expect({ id: again.id, starts: platform.starts }, again.message).toEqual({ id: job?.jobId, starts: 1 });
  });
});

describe("where the state cannot be asked", () => {
  it("it does not count as having the job: the run after a killed one goes on with it", async () => {
    // PATH has no `pulumi` command, so the provider cannot ask the engine.
    vi.stubEnv("PATH", folder);
    expect(await new StackStateReader().saved(urn, "sej_1")).toBeUndefined();
  });
});
