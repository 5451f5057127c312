import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { mirrorAfterUp, mirrorStack, redeclare, succeeded } from "../mirror/mirrorStack";
import { filesIn, gzipLike, sha256Of } from "../mirror/storage";
import { anError, look, mint, start, tally, testPlatform } from "../support/engineTest";
import { serve } from "../support/loopback";

const nothing = { code: 0, requests: [] };

describe("the first run of a mirror", () => {
  it("costs one start, the polls, one bundle and one download, and gives every output", async () => {
    const platform = await testPlatform({ jobTime: 0 });
    const { stack, folder, destination } = await mirrorStack(platform);
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
      ...["__address", "__manifestBytes", "__mark", "__mirror", "__origin", "__provider"],
      ...["destination", "format", "jobId", "layout", "mirroredAt", "sha256", "sizeBytes", "url", "version"],
    ]);
  });

  it("shows bytes, rate and time left on the resource's own row", async () => {
    const platform = await testPlatform({ jobTime: 0 });
    const { stack } = await mirrorStack(platform);
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
    platform.inject({ operation: "createBundle", kind: "body", body });
    const { output } = succeeded(await stack.up());
    expect(output).toMatch(
      /BundleMirror mirror creating.* mirroring job \S+: [\d.]+ MiB of 7\.0 MiB \(\d+ %\), [\d.]+ [KM]iB\/s, about \d+s left/,
    );
  });

  it("is previewed without any request, and without a trace at the destination", async () => {
    const platform = await testPlatform();
    const { stack, folder } = await mirrorStack(platform);
    const { code, requests } = await stack.preview();
    expect({ code, requests }).toEqual(nothing);
    expect(() => filesIn(folder)).toThrow("ENOENT");
  });

  it("gives helmValues an address that a deployment can fetch, in clear", async () => {
    const publicUrl = "https://cdn.example.com/docs";
    const { stack } = await mirrorAfterUp(await testPlatform(), { publicUrl, values: true });
    const { jobId, values } = await stack.outputs();
    const bundleUrl = `${publicUrl}/${jobId}.tar.gz`;
    expect(values).toEqual({ staticExport: { enabled: true, bundleUrl, version: jobId } });
    expect((await stack.pulumi("stack", "output")).output).toContain(bundleUrl);
  });
});

describe("a run in which nothing changed", () => {
  it("sends nothing and looks at nothing, and neither does a preview", async () => {
    const platform = await testPlatform();
    const { stack, folder } = await mirrorAfterUp(platform);
    rmSync(folder, { recursive: true });
    expect(await stack.up("--expect-no-changes")).toMatchObject(nothing);
    expect(await stack.preview("--expect-no-changes")).toMatchObject(nothing);
    expect(platform.counts.download).toBe(1);
  });
});

describe("a mirror whose changes are ignored", () => {
  it("stays as it is, from the second run on, whatever the program says", async () => {
    const options = { ignoreChanges: ["*"] };
    const made = await mirrorAfterUp(await testPlatform({ jobTime: 0 }), { options });
    expect(await made.stack.up("--expect-no-changes")).toMatchObject(nothing);
    redeclare(made, { mirror: { options, layout: "site", publicUrl: "https://docs.example.com" } });
    expect(await made.stack.up("--expect-no-changes")).toMatchObject(nothing);
  });
});

describe("a refresh", () => {
  it("finds what differs and what is missing without a transfer, and the next up mends each by one link", async () => {
    const platform = await testPlatform();
    const { stack, folder } = await mirrorAfterUp(platform);
    const { jobId, ...before } = await stack.outputs();
    const { sha256 } = before;
    expect(await stack.refresh("--expect-no-changes")).toMatchObject({ code: 0, requests: [look(jobId)] });
    expect(await stack.outputs()).toEqual({ jobId, ...before });

    const archive = join(folder, `${jobId}.tar.gz`);
    writeFileSync(archive, "damaged");
    expect(await stack.up("--expect-no-changes")).toMatchObject(nothing);
    expect(await stack.refresh()).toMatchObject({ code: 0, requests: [look(jobId)] });
    expect(platform.counts.download).toBe(1);
    const preview = await stack.preview();
    expect(preview).toMatchObject(nothing);
    expect(preview.output).toMatch(/~ 1 to update/);
    expect(await stack.up()).toMatchObject({ code: 0, requests: [mint(jobId)] });
    expect(sha256Of(readFileSync(archive))).toBe(sha256);
    expect(await stack.up("--expect-no-changes")).toMatchObject(nothing);

    // What is missing is dropped, and made anew.
    rmSync(archive);
    expect(await stack.refresh()).toMatchObject({ code: 0 });
    expect(await stack.state("mirror")).toBeUndefined();
    expect(await stack.up()).toMatchObject({ code: 0, requests: [mint(jobId)] });
    expect(filesIn(folder)).toContain(`${jobId}.tar.gz`);
    expect(await stack.up("--expect-no-changes")).toMatchObject(nothing);
  });
});

describe("a change of only expectedSha256 or publicUrl", () => {
  it("is an update in place that sends nothing where the stored sha256 is the expected one", async () => {
    const platform = await testPlatform();
    const made = await mirrorAfterUp(platform);
    const { sha256, jobId } = await made.stack.outputs();
    redeclare(made, { mirror: { expectedSha256: sha256, publicUrl: "https://cdn.example.com/docs" } });
    const run = await made.stack.up();
    expect(run).toMatchObject(nothing);
    expect(run.output).toMatch(/~ 1 updated/);
    expect(platform.counts.download).toBe(1);
    expect((await made.stack.outputs()).url).toBe(`https://cdn.example.com/docs/${jobId}.tar.gz`);
  });

  it("to one that the archive has not is an error, and the archive stays", async () => {
    const made = await mirrorAfterUp(await testPlatform());
    const files = filesIn(made.folder);
    redeclare(made, { mirror: { expectedSha256: "0".repeat(64) } });
    const { code, output } = await made.stack.up();
    expect(code).toEqual(anError);
    expect(output).toContain("DOCS_CHECKSUM");
    expect(filesIn(made.folder)).toEqual(files);
    redeclare(made, {});
    expect(await made.stack.up()).toMatchObject(nothing);
  });

  it("at the first run leaves nothing at the destination", async () => {
    const { stack, folder } = await mirrorStack(await testPlatform(), { expectedSha256: "0".repeat(64) });
    const { code, output } = await stack.up();
    expect(code).toEqual(anError);
    expect(output).toContain("Exists now: nothing of the bundle of job");
    expect(filesIn(folder)).toEqual([]);
    expect(await stack.state("mirror")).toBeUndefined();
  });
});

describe("destroy", () => {
  it.each(["archive", "site"])(
    "removes everything of a mirror of layout %s, sends nothing and needs no key",
    async (layout) => {
      const { stack, folder } = await mirrorAfterUp(await testPlatform(), { layout });
      expect(filesIn(folder)).not.toEqual([]);
      stack.environment.DOCS_PLATFORM_API_KEY = undefined;
      expect(await stack.destroy()).toMatchObject(nothing);
      expect(filesIn(folder)).toEqual([]);
    },
  );

  it("keeps a mirror with retainOnDelete", async () => {
    const { stack, folder } = await mirrorAfterUp(await testPlatform(), { options: { retainOnDelete: true } });
    const files = filesIn(folder);
    expect(await stack.destroy()).toMatchObject(nothing);
    expect(filesIn(folder)).toEqual(files);
  });
});

describe("a destination with credentials", () => {
  it("is refused in the preview by name, and the error does not repeat them", async () => {
    const destination = "s3://AKIAEXAMPLE:hidden@docs/a";
    const { stack } = await mirrorStack(await testPlatform(), { destination, jobId: "sej_1" });
    const { code, output, requests } = await stack.preview();
    expect({ code, requests }).toEqual({ code: anError, requests: [] });
    expect(output).toContain("must hold no credentials");
    expect(output).toContain("destination");
    expect(output.replaceAll(destination, "")).not.toContain("hidden");
  });
});
