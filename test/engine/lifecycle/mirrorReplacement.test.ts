import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { mint, start, tally, testPlatform } from "../../support/engineTest";
import { mirroredSite, mirrorStack, redeclare, sharedMirrorStack, succeeded } from "../../support/mirror/mirrorStack";
import { repackForEachLink } from "../../support/mirror/repackForEachLink";
import { filesIn, sha256Of } from "../../support/mirror/storage";

const revision = (number: number) => ({ ...mirroredSite, triggers: { revision: number } });
const deleteBeforeReplace = { options: { deleteBeforeReplace: true } };

const archiveOf = (jobId: unknown) => [`${jobId}.json`, `${jobId}.tar.gz`, `${jobId}.tar.gz.sha256`];

describe("the job of a mirror", () => {
  const made = sharedMirrorStack();
  const jobOf = async () => (await made.stack.outputs()).jobId;

  beforeAll(async () => {
    succeeded(await made.stack.up());
  });

  it("of an archive stays until the end where the new one fails; then everything of the new one is there, and nothing of the old one", async () => {
    const { stack, platform, folder } = made;
    const old = await jobOf();
    redeclare(made, { site: revision(2) });
    platform.inject({ operation: "download", kind: "status", status: 402 });
    const failed = await stack.up();
    expect(failed.code).not.toBe(0);
    expect(filesIn(folder)).toEqual(archiveOf(old));
    const { requests, output } = succeeded(await stack.up());
    const { jobId, sha256 } = await stack.outputs();
    expect(jobId).not.toBe(old);
    expect(tally([...failed.requests, ...requests])).toMatchObject({ [start]: 1, [mint(jobId)]: 2 });
    expect(filesIn(folder)).toEqual(archiveOf(jobId));
    expect(sha256Of(readFileSync(join(folder, `${jobId}.tar.gz`)))).toBe(sha256);
    expect(output).toMatch(/BundleMirror mirror created replacement[\s\S]*BundleMirror mirror deleted original/);
  });

  it("of an archive stays until the new one is there, also where the export is deleted before it is made again, and as previewed", async () => {
    redeclare(made, { site: { ...revision(3), ...deleteBeforeReplace } });
    const order = /site deleted? original[\s\S]*mirror created? replacement[\s\S]*mirror deleted? original/;
    expect((await made.stack.pulumi("preview")).output).toMatch(order);
    expect(succeeded(await made.stack.up()).output).toMatch(order);
    expect(filesIn(made.folder)).toEqual(archiveOf(await jobOf()));
  });

  it("stays in another layout at the same destination, which leaves only the pages; another job then changes them in place", async () => {
    const { stack, folder } = made;
    const old = await jobOf();
    redeclare(made, { site: revision(3), mirror: { layout: "site" } });
    succeeded(await stack.up());
    expect(await jobOf()).toBe(old);
    expect(filesIn(folder)).toContain("index.html");
    expect(filesIn(folder)).not.toContain(`${old}.tar.gz`);
    redeclare(made, { site: revision(5), mirror: { layout: "site" } });
    const { requests, output } = succeeded(await stack.up());
    const jobId = await jobOf();
    expect(jobId).not.toBe(old);
    expect(tally(requests)).toMatchObject({ [mint(jobId)]: 1 });
    expect(output).toMatch(/BundleMirror mirror updated/);
    expect(await stack.refresh("--expect-no-changes")).toMatchObject({ code: 0 });
    expect(await stack.destroy()).toMatchObject({ code: 0, requests: [] });
    expect(filesIn(folder)).toEqual([]);
  });
});

it("a mirror that --replace makes again, of a platform that packs each bundle again, adopts its own archive", async () => {
  const platform = await testPlatform({ jobTime: 0 });
  const { stack, folder } = await mirrorStack(platform);
  await repackForEachLink(platform, 2);
  succeeded(await stack.up());
  const { sha256: before } = await stack.outputs();
  const { urn = "" } = (await stack.state("mirror")) ?? {};
  const { requests } = succeeded(await stack.up("--replace", urn));
  const { sha256, jobId } = await stack.outputs();
  expect(sha256).not.toBe(before);
  expect(requests).toEqual([mint(jobId)]);
  succeeded(await stack.destroy());
  expect(filesIn(folder)).toEqual([]);
});
