import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { mirrorAfterUp, redeclare, site, succeeded } from "../mirror/mirrorStack";
import { filesIn, sha256Of } from "../mirror/storage";
import { campaign } from "../support/campaign";
import { mint, start, tally, testPlatform } from "../support/engineTest";

const nothing = { code: 0, requests: [] };
const another = { ...site, triggers: { revision: 2 } };
const manifest = ".bundle-mirror.json";

const archiveOf = (jobId: unknown) => [`${jobId}.json`, `${jobId}.tar.gz`, `${jobId}.tar.gz.sha256`];

describe("the job of an archive mirror", () => {
  it("is replaced, and after up everything of the new job is there, and nothing of the old one", async () => {
    const made = await mirrorAfterUp(await testPlatform({ jobTime: 0 }));
    const { jobId: old } = await made.stack.outputs();
    redeclare(made, { site: another });
    expect(await made.stack.preview()).toMatchObject(nothing);
    const { requests, output } = succeeded(await made.stack.up());
    const { jobId, sha256, url } = await made.stack.outputs();
    expect(jobId).not.toBe(old);
    expect(tally(requests)).toMatchObject({ [start]: 1, [mint(jobId)]: 1 });
    expect(filesIn(made.folder)).toEqual(archiveOf(jobId));
    expect(sha256Of(readFileSync(join(made.folder, `${jobId}.tar.gz`)))).toBe(sha256);
    expect(url).toContain(`/${jobId}.tar.gz`);
    // The old one goes when everything else is done.
    expect(output).toMatch(/BundleMirror mirror created replacement[\s\S]*BundleMirror mirror deleted original/);
    expect(await made.stack.up("--expect-no-changes")).toMatchObject(nothing);
    expect(await made.stack.refresh("--expect-no-changes")).toMatchObject({ code: 0 });
  });

  it("stays until the end where the new one fails, and the run after it goes on", async () => {
    const platform = await testPlatform({ jobTime: 0 });
    const made = await mirrorAfterUp(platform);
    const { jobId: old } = await made.stack.outputs();
    redeclare(made, { site: another });
    platform.inject({ operation: "download", kind: "status", status: 404 });
    expect((await made.stack.up()).code).not.toBe(0);
    expect(filesIn(made.folder)).toEqual(archiveOf(old));
    succeeded(await made.stack.up());
    const { jobId } = await made.stack.outputs();
    expect(filesIn(made.folder)).toEqual(archiveOf(jobId));
  });

  it("stays until the new one is there, also where the export is deleted before it is made anew, and as previewed", async () => {
    const options = { deleteBeforeReplace: true };
    const made = await mirrorAfterUp(await testPlatform({ jobTime: 0 }));
    redeclare(made, { site: { ...another, options } });
    const order = /site deleted? original[\s\S]*mirror created? replacement[\s\S]*mirror deleted? original/;
    expect((await made.stack.pulumi("preview")).output).toMatch(order);
    expect(succeeded(await made.stack.up()).output).toMatch(order);
    const { jobId } = await made.stack.outputs();
    expect(filesIn(made.folder)).toEqual(archiveOf(jobId));
  });

  it("is deleted before it is made anew where the program wants that", async () => {
    const made = await mirrorAfterUp(await testPlatform({ jobTime: 0 }), { options: { deleteBeforeReplace: true } });
    redeclare(made, { site: another, mirror: { options: { deleteBeforeReplace: true } } });
    succeeded(await made.stack.up());
    const { jobId } = await made.stack.outputs();
    expect(filesIn(made.folder)).toEqual(archiveOf(jobId));
  });
});

describe("the job of a site mirror", () => {
  it("is changed in place, and after up everything of the new job is there, and nothing of the old one alone", async () => {
    const platform = await testPlatform({ jobTime: 0 });
    const made = await mirrorAfterUp(platform, { layout: "site" });
    const { jobId: old } = await made.stack.outputs();
    expect(filesIn(made.folder)).toContain("index.html");
    redeclare(made, { site: another, mirror: { layout: "site" } });
    expect(await made.stack.preview()).toMatchObject(nothing);
    const { requests, output } = succeeded(await made.stack.up());
    const { jobId } = await made.stack.outputs();
    expect(jobId).not.toBe(old);
    expect(tally(requests)).toMatchObject({ [mint(jobId)]: 1 });
    expect(output).toMatch(/BundleMirror mirror updated/);
    const published = JSON.parse(readFileSync(join(made.folder, manifest), "utf8"));
    expect(published).toMatchObject({ jobId, version: jobId });
    expect(published).not.toHaveProperty("pending");
    const paths = published.files.map((file: { path: string }) => file.path);
    expect(filesIn(made.folder)).toEqual([manifest, ...paths].sort());
    expect(await made.stack.up("--expect-no-changes")).toMatchObject(nothing);
    expect(await made.stack.refresh("--expect-no-changes")).toMatchObject({ code: 0 });
  });
});

describe.each(campaign ? ["archive", "site"] : ["site"])(
  "a mirror of layout %s that is replaced for the same job",
  (layout) => {
    it("by --replace is there as a whole after up, and destroy removes it", async () => {
      const made = await mirrorAfterUp(await testPlatform({ jobTime: 0 }), { layout });
      const before = filesIn(made.folder);
      const { urn = "" } = (await made.stack.state("mirror")) ?? {};
      succeeded(await made.stack.up("--replace", urn));
      expect(filesIn(made.folder)).toEqual(before);
      expect(await made.stack.refresh("--expect-no-changes")).toMatchObject({ code: 0 });
      expect(await made.stack.destroy()).toMatchObject(nothing);
      expect(filesIn(made.folder)).toEqual([]);
    });

    it("by another layout at the same destination leaves only the new one", async () => {
      const other = layout === "site" ? "archive" : "site";
      const made = await mirrorAfterUp(await testPlatform({ jobTime: 0 }), { layout });
      redeclare(made, { mirror: { layout: other } });
      succeeded(await made.stack.up());
      const { jobId } = await made.stack.outputs();
      const [archive, entrance] = [
        filesIn(made.folder).includes(`${jobId}.tar.gz`),
        filesIn(made.folder).includes("index.html"),
      ];
      expect({ archive, entrance }).toEqual({ archive: other === "archive", entrance: other === "site" });
      expect(await made.stack.refresh("--expect-no-changes")).toMatchObject({ code: 0 });
    });
  },
);
