import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { anError, look, mint, start, tally } from "../../support/engineTest";
import { serve } from "../../support/loopback";
import { redeclare, succeeded, tellMirrorStory } from "../../support/mirror/mirrorStack";
import { filesIn, gzipLike, sha256Of } from "../../support/mirror/storage";

const nothing = { code: 0, requests: [] };
const publicUrl = "https://cdn.example.com/docs";

describe("the life of an archive mirror", () => {
  const made = tellMirrorStory();

  it("a destination with credentials is refused in the preview by name, and the error does not repeat them", async () => {
    const destination = "s3://AKIAEXAMPLE:hidden@docs/a";
    redeclare(made, { mirror: { destination, jobId: "sej_1" } });
    const { code, output, requests } = await made.stack.preview();
    expect({ code, requests }).toEqual({ code: anError, requests: [] });
    expect(output).toContain("must not contain credentials");
    expect(output).toContain("destination");
    expect(output.replaceAll(destination, "")).not.toContain("hidden");
  });

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
      ...["__address", "__key", "__mark", "__origin", "__provider"],
      ...["destination", "format", "jobId", "layout", "mirroredAt", "sha256", "sizeBytes", "url", "version"],
    ]);
  });

  it("sends nothing and looks at nothing where nothing changed, and neither does a preview", async () => {
    const { stack, folder, platform } = made;
    renameSync(folder, `${folder}-away`);
    expect(await stack.up("--expect-no-changes")).toMatchObject(nothing);
    expect(await stack.preview("--expect-no-changes")).toMatchObject(nothing);
    expect(platform.counts.download).toBe(1);
    renameSync(`${folder}-away`, folder);
  });

  it("has a refresh find what differs and what is missing without a transfer; up mends each by one link", async () => {
    const { stack, folder, platform } = made;
    const before = await stack.outputs();
    const { jobId, sha256 } = before;
    expect(await stack.refresh("--expect-no-changes")).toMatchObject({ code: 0, requests: [look(jobId)] });
    expect(await stack.outputs()).toEqual(before);

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
    expect(await stack.up("--expect-no-changes")).toMatchObject(nothing);

    // A missing mirror is dropped from the state, and made again.
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
    expect((await stack.pulumi("stack", "output")).output).toContain(bundleUrl);
  });

  it("stays where another expectedSha256 is asked for, which is an error", async () => {
    const files = filesIn(made.folder);
    redeclare(made, { mirror: { expectedSha256: "0".repeat(64) } });
    const { code, output } = await made.stack.up();
    expect(code).toEqual(anError);
    expect(output).toContain("DOCS_CHECKSUM");
    expect(filesIn(made.folder)).toEqual(files);
    redeclare(made, {});
    expect(await made.stack.up()).toMatchObject(nothing);
  });

  it("is removed by a destroy, which sends nothing and needs no key", async () => {
    const { stack, folder, platform } = made;
    expect(filesIn(folder)).not.toEqual([]);
    stack.environment.DOCS_PLATFORM_API_KEY = undefined;
    expect(await stack.destroy()).toMatchObject(nothing);
    expect(filesIn(folder)).toEqual([]);
    stack.environment.DOCS_PLATFORM_API_KEY = platform.apiKey;
  });

  it("leaves nothing at the destination where the first run finds another expectedSha256", async () => {
    redeclare(made, { mirror: { expectedSha256: "0".repeat(64) } });
    const { code, output } = await made.stack.up();
    expect(code).toEqual(anError);
    expect(output).toContain("Exists now: no files of job");
    expect(filesIn(made.folder)).toEqual([]);
    expect(await made.stack.state("mirror")).toBeUndefined();
  });

  const options = { ignoreChanges: ["*"], retainOnDelete: true };

  it("shows bytes, rate and time left on the resource's own row", async () => {
    const [chunk, chunks] = [gzipLike(1024 ** 2), 7];
    const storage = await serve(async (response) => {
      response.writeHead(200, { "content-length": String(chunks * chunk.length) });
      for (let sent = 0; sent < chunks; sent++) {
        response.write(chunk);
        await sleep(600);
      }
      response.end();
    });
    const body = { bundleUrl: `${storage.url}/bundle`, expiresAt: "2126-01-31T10:00:00Z" };
    made.platform.inject({ operation: "createBundle", kind: "body", body });
    redeclare(made, { mirror: { options } });
    const { output } = succeeded(await made.stack.up());
    expect(output).toMatch(
      /BundleMirror mirror creating \S+ \d+ % \d+s left, [\d.]+ MiB of 7\.0 MiB, [\d.]+ [KM]iB\/s, mirroring job \S+/,
    );
  });

  it("with ignoreChanges stays as it is, from the second run on, whatever the program says", async () => {
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
