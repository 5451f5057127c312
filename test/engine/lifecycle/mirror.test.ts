import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { look, mint, start, tally } from "../../support/engineTest";
import { redeclare, sharedMirrorStack, succeeded } from "../../support/mirror/mirrorStack";
import { filesIn, sha256Of } from "../../support/mirror/storage";
import { isSecret } from "../../support/stackOutputs";

const nothing = { code: 0, requests: [] };
const publicUrl = "https://cdn.example.com/docs";

describe("the life of an archive mirror", () => {
  const made = sharedMirrorStack();

  it("is previewed without any request, and without a trace at the destination", async () => {
    redeclare(made, {});
    const { code, requests } = await made.stack.preview();
    expect({ code, requests }).toEqual(nothing);
    expect(() => filesIn(made.folder)).toThrow("ENOENT");
  });

  it("costs one start, the polls, one bundle and one download at the first run, and gives every output", async () => {
    const { stack, folder, destination, platform } = made;
    const { requests } = succeeded(await stack.up());
    const outputs = await stack.outputs();
    const jobId = String(outputs.jobId);
    expect(tally(requests)).toEqual({ [start]: 1, [look(jobId)]: 1, [mint(jobId)]: 1 });
    expect(platform.counts.download).toBe(1);
    const archive = readFileSync(join(folder, `${jobId}.tar.gz`));
    expect(outputs).toEqual({
      url: `${destination}/${jobId}.tar.gz`,
      sha256: sha256Of(archive),
      sizeBytes: archive.length,
      format: "tar.gz",
      jobId,
      version: jobId,
      mirroredAt: expect.stringMatching(/^\d{4}-.*Z$/),
      layout: "archive",
    });
    const state = await stack.state("mirror");
    expect(state?.id).toBe(`${destination}#${jobId}`);
    expect(Object.keys(state?.outputs ?? {}).sort()).toEqual([
      ...["__address", "__origin", "__owner", "__provider", "__publication"],
      ...["destination", "format", "jobId", "layout", "mirroredAt", "sha256", "sizeBytes", "url", "version"],
    ]);
    // The secret in this output seals the list of files, so a reader of the state must not see it.
    expect(isSecret(state?.outputs.__publication)).toBe(true);
  });

  it("sends nothing and looks at nothing where nothing changed", async () => {
    const { stack, folder, platform } = made;
    renameSync(folder, `${folder}-away`);
    expect(await stack.up("--expect-no-changes")).toMatchObject(nothing);
    expect(platform.counts.download).toBe(1);
    renameSync(`${folder}-away`, folder);
  });

  it("has a refresh find what differs and what is missing without a transfer; up repairs each by one link", async () => {
    const { stack, folder, platform } = made;
    const { jobId, sha256 } = await stack.outputs();
    const archive = join(folder, `${jobId}.tar.gz`);
    writeFileSync(archive, "damaged");
    const why = `BundleMirror (mirror):\n    1 file differs: ${jobId}.tar.gz: will be repaired\n`;
    const refreshed = await stack.refresh();
    expect(refreshed).toMatchObject({ code: 0, requests: [look(jobId)], output: expect.stringContaining(why) });
    expect(platform.counts.download).toBe(1);
    const preview = await stack.pulumi("preview");
    expect(preview).toMatchObject({ ...nothing, output: expect.stringContaining(why) });
    expect(preview.output).toMatch(/~ 1 to update/);
    expect(await stack.up()).toMatchObject({ code: 0, requests: [mint(jobId)] });
    expect(sha256Of(readFileSync(archive))).toBe(sha256);
    // A refresh removes a mirror without files from the state, and the next run creates the mirror again.
    rmSync(folder, { recursive: true });
    expect(await stack.refresh()).toMatchObject({ code: 0 });
    expect(await stack.state("mirror")).toBeUndefined();
    expect(await stack.up()).toMatchObject({ code: 0, requests: [mint(jobId)] });
    expect(filesIn(folder)).toContain(`${jobId}.tar.gz`);
  });

  it("is updated in place by expectedSha256 and publicUrl without a request; helmValues then has that address, in clear", async () => {
    const { stack, platform } = made;
    const { sha256, jobId } = await stack.outputs();
    const { download } = platform.counts;
    redeclare(made, { mirror: { expectedSha256: sha256, publicUrl, values: true } });
    const run = await stack.up();
    expect(run).toMatchObject(nothing);
    expect(run.output).toMatch(/~ 1 updated/);
    expect(platform.counts.download).toBe(download);
    const bundleUrl = `${publicUrl}/${jobId}.tar.gz`;
    expect(await stack.outputs()).toMatchObject({
      url: bundleUrl,
      values: { staticExport: { enabled: true, bundleUrl, version: jobId } },
    });
  });

  it("is removed by a destroy, which sends nothing and needs no key", async () => {
    const { stack, folder, platform } = made;
    expect(filesIn(folder)).not.toEqual([]);
    stack.environment.DOCS_PLATFORM_API_KEY = undefined;
    expect(await stack.destroy()).toMatchObject(nothing);
    expect(filesIn(folder)).toEqual([]);
    stack.environment.DOCS_PLATFORM_API_KEY = platform.apiKey;
  });

  it("with ignoreChanges stays unchanged, from the second run on, whatever the program says", async () => {
    const options = { ignoreChanges: ["*"], retainOnDelete: true };
    redeclare(made, { mirror: { options } });
    succeeded(await made.stack.up());
    expect(await made.stack.up("--expect-no-changes")).toMatchObject(nothing);
    redeclare(made, { mirror: { options, layout: "site", publicUrl } });
    expect(await made.stack.up("--expect-no-changes")).toMatchObject(nothing);
  });

  it("with retainOnDelete is kept by a destroy", async () => {
    const files = filesIn(made.folder);
    expect(files).toHaveLength(3);
    expect(await made.stack.destroy()).toMatchObject(nothing);
    expect(filesIn(made.folder)).toEqual(files);
  });
});
