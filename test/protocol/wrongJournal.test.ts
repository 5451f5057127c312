import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { testPlatform } from "../support/engineTest";
import { hosts, resourceOn } from "../support/protocol/protocolHosts";
import { temporaryFolder } from "../support/temporaryFolder";

const wrong: [string, Record<string, string>][] = [
  ["a journal of an unknown kind", { DOCS_PLATFORM_JOURNAL: "gs://bucket/prefix" }],
  ["a journal with an unknown parameter", { DOCS_PLATFORM_JOURNAL: "s3://bucket/journal?zone=1" }],
  ["a journal in a file", { DOCS_PLATFORM_JOURNAL: join(__filename, "journal") }],
  ["a malformed journalRequired", { DOCS_PLATFORM_JOURNAL_REQUIRED: "perhaps" }],
  ["a signing key that is missing", { DOCS_PLATFORM_SIGNING_KEY_FILE: join(__filename, "key") }],
];

describe.each(Object.entries(hosts))("a setting that only a start or a signature needs (%s)", (_, host) => {
  it.each(wrong)("fails no refresh, plan or destroy where it is wrong: %s", async (_, setting) => {
    const platform = await testPlatform({ jobTime: 0 });
    const before = await host(platform, { environment: { DOCS_PLATFORM_JOURNAL: temporaryFolder() } });
    const [site, bundle] = [{ domain: "docs.example.com" }, { jobId: "" }];
    const exported = await resourceOn(before, "StaticExport").create(site);
    bundle.jobId = exported.id;
    const linked = await resourceOn(before, "ExportBundle", "bundle").create({ ...bundle, version: exported.id });

    const after = await host(platform, { environment: setting });
    const [export_, link] = [resourceOn(after, "StaticExport"), resourceOn(after, "ExportBundle", "bundle")];
    expect(await export_.read(exported)).toMatchObject({ id: exported.id, outputs: { status: "completed" } });
    expect(await link.read(linked)).toMatchObject({ id: linked.id });
    expect(await export_.diff(exported, site)).toMatchObject({ changes: false });
    await export_.delete(exported);
    await link.delete(linked);
    expect(platform.starts).toBe(1);
  });
});
