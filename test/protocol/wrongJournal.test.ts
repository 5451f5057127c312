import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { testPlatform } from "../support/engineTest";
import { hosts, resourceOn } from "../support/protocol/protocolHosts";
import { temporaryFolder } from "../support/temporaryFolder";

const wrong = [
  ["a place of an unknown kind", "gs://bucket/prefix"],
  ["a parameter that is unknown", "s3://bucket/journal?zone=1"],
  ["a file where a folder should be", join(__filename, "journal")],
] as const;

describe.each(Object.entries(hosts))("a journal that cannot be opened (%s)", (_, host) => {
  it.each(wrong)("fails no refresh, plan or destroy: %s", async (_, journal) => {
    const platform = await testPlatform({ jobTime: 0 });
    const before = await host(platform, { environment: { DOCS_PLATFORM_JOURNAL: temporaryFolder() } });
    const [site, bundle] = [{ domain: "docs.example.com" }, { jobId: "" }];
    const exported = await resourceOn(before, "StaticExport").create(site);
    bundle.jobId = exported.id;
    const linked = await resourceOn(before, "ExportBundle", "bundle").create({ ...bundle, version: exported.id });

    const after = await host(platform, { environment: { DOCS_PLATFORM_JOURNAL: journal } });
    const [export_, link] = [resourceOn(after, "StaticExport"), resourceOn(after, "ExportBundle", "bundle")];
    expect(await export_.read(exported)).toMatchObject({ id: exported.id, outputs: { status: "completed" } });
    expect(await link.read(linked)).toMatchObject({ id: linked.id });
    expect(await export_.diff(exported, site)).toMatchObject({ changes: false });
    await export_.delete(exported);
    await link.delete(linked);
    expect(platform.starts).toBe(1);
  });
});
