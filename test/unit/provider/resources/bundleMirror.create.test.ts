import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import * as errors from "../../../../provider/support/errors";
import { rejection } from "../../../support/clientUnderTest";
import { mirrored, mirrorWorld, signature } from "../../../support/mirror/mirrorWorld";
import { contentIn, filesIn, gzipLike, sha256Of, storage } from "../../../support/mirror/storage";
import { toldByHost } from "../../../support/toldByHost";
import { archiveWith, type Files } from "../mirror/archive/archives";

const { bundleMirror } = toldByHost;

const bytes = gzipLike(30_000);
const sha256 = sha256Of(bytes);
const site: Files = [["index.html", "<h1>Docs</h1>"]];

describe("create of an archive", () => {
  it("mints one link, fetches it once, and tells everything of what it put there", async () => {
    const { context, platform, server, folder, inputs } = await mirrorWorld([storage(bytes)]);
    const { id, state } = await bundleMirror.create(inputs, context);
    expect(platform.calls).toEqual(["bundle job-1"]);
    expect(server.requests).toHaveLength(1);
    expect(id).toBe(`${inputs.destination}#job-1`);
    expect(state).toMatchObject({
      ...inputs,
      url: `${inputs.destination}/job-1.tar.gz`,
      sha256,
      sizeBytes: 30_000,
      format: "tar.gz",
      version: "job-1",
      mirroredAt: "2026-03-01T00:00:00.000Z",
    });
    expect(readFileSync(join(folder, "job-1.tar.gz")).equals(bytes)).toBe(true);
  });

  it.each([
    'attachment; filename="docs-export-2026-03-01.tar.gz"',
    'attachment; filename="../../evil.tar.gz"',
    "attachment; filename*=UTF-8''%2e%2e%2fevil.zip",
    'inline; filename=".bundle-mirror.json"',
  ])("names its object after the job, whatever name the storage gives: Content-Disposition %s", async (name) => {
    const headers = { "content-disposition": name };
    const world = await mirrorWorld([
      storage(bytes, { headers }),
      storage(await archiveWith("zip", site), { headers }),
    ]);
    await mirrored(world);
    expect(filesIn(world.folder)).toEqual(["job-1.json", "job-1.tar.gz", "job-1.tar.gz.sha256"]);
    const destination = `${world.inputs.destination}/site`;
    await mirrored(world, { layout: "site", destination });
    expect(filesIn(join(world.folder, "site"))).toEqual([".bundle-mirror.json", "index.html"]);
  });

  it("puts a manifest and a checksum beside it, and leaves nothing else", async () => {
    const world = await mirrorWorld([storage(bytes)]);
    await mirrored(world);
    expect(filesIn(world.folder)).toEqual(["job-1.json", "job-1.tar.gz", "job-1.tar.gz.sha256"]);
    const manifest = JSON.parse(readFileSync(join(world.folder, "job-1.json"), "utf8"));
    expect(manifest).toEqual({
      files: [
        { path: "job-1.tar.gz", sizeBytes: 30_000, sha256, revision: expect.any(String) },
        { path: "job-1.tar.gz.sha256", sizeBytes: 79, sha256: expect.any(String), revision: expect.any(String) },
      ],
      jobId: "job-1",
      version: "job-1",
      format: "tar.gz",
      sha256,
      sizeBytes: 30_000,
      mirroredAt: "2026-03-01T00:00:00.000Z",
      tool: expect.stringMatching(/^pulumi-docs-platform \d+\.\d+\.\d+/),
      owner: "this mirror",
      seals: [expect.stringMatching(/^[0-9a-f]{64}$/)],
    });
  });

  it("is checked on the other side by sha256sum, and a changed byte shows there", async () => {
    const world = await mirrorWorld([storage(bytes)]);
    await mirrored(world);
    const check = () => execFileSync("sha256sum", ["-c", "job-1.tar.gz.sha256"], { cwd: world.folder, stdio: "pipe" });
    expect(String(check())).toBe("job-1.tar.gz: OK\n");
    writeFileSync(join(world.folder, "job-1.tar.gz"), gzipLike(30_000, 2));
    expect(check).toThrow("1 computed checksum did NOT match");
  });

  it.each([
    ["job/../1", "job%2F..%2F1"],
    ["job 1?#", "job%201%3F%23"],
    ["jöb", "j%C3%B6b"],
  ])("of job %j is named %s, and lies in the destination", async (jobId, name) => {
    const world = await mirrorWorld([storage(bytes)]);
    const { url } = await mirrored(world, { jobId });
    expect(filesIn(world.folder)).toContain(`${name}.tar.gz`);
    expect(url).toBe(`${world.inputs.destination}/${encodeURIComponent(`${name}.tar.gz`)}`);
    const publicUrl = "https://cdn.example.com/docs/";
    const published = await mirrored(world, { jobId, publicUrl });
    expect(published.url).toBe(`https://cdn.example.com/docs/${encodeURIComponent(`${name}.tar.gz`)}`);
  });

  it("shows how far it is, and tells the link and its signature to nobody", async () => {
    const world = await mirrorWorld([storage(bytes)]);
    const state = await mirrored(world);
    expect(world.statuses[0]).toMatch(/^(\d+ % \d+s left|100 %), \d+(\.\d)? KiB of 29 KiB/);
    expect(
      [world.statuses.join(), JSON.stringify(state), JSON.stringify(contentIn(world.folder))].join(),
    ).not.toContain(signature);
  });
});

it.each(["archive", "site"] as const)(
  "a create of layout %s asks the host's state only where a mirror's list lies already",
  async (layout) => {
    const world = await mirrorWorld([storage(await archiveWith("tar.gz", [["index.html", "<h1>Docs</h1>"]]))]);
    const savedState = vi.fn(async (): Promise<object | undefined> => undefined);
    const context = { ...world.context, savedState } as typeof world.context;
    const { state } = await bundleMirror.create({ ...world.inputs, layout }, context);
    expect(savedState).not.toHaveBeenCalled();
    savedState.mockResolvedValue(state);
    await bundleMirror.create({ ...world.inputs, layout }, context);
    expect(savedState).toHaveBeenCalledOnce();
  },
);

describe("a create that fails leaves nothing at the destination", () => {
  it("where the sha256 is not the expected one, and tells both", async () => {
    const { context, folder, inputs } = await mirrorWorld([storage(bytes)]);
    const expectedSha256 = "0".repeat(64);
    const error = await rejection(bundleMirror.create({ ...inputs, expectedSha256 }, context));
    expect(error).toBeInstanceOf(errors.ChecksumError);
    expect(error.message).toContain(sha256);
    expect(error.message).toContain(expectedSha256);
    expect(error.message).toContain("Exists now: no files of job job-1");
    expect(filesIn(folder)).toEqual([]);
  });

  it.each([
    ["a page", Buffer.from("<!DOCTYPE html><h1>Sign in</h1>")],
    ["an error in JSON", Buffer.from('\ufeff{"error": "größer"}\r\n\t')],
    ["nothing", Buffer.alloc(0)],
    ["one byte of a gzip", Buffer.from([0x1f])],
    ["zeros", Buffer.alloc(3_000)],
    ["a .7z", Buffer.concat([Buffer.from("7z\xbc\xaf\x27\x1c\0\x04", "latin1"), gzipLike(3_000)])],
    ["a .tar.bz2", Buffer.concat([Buffer.from("BZh91AY&SY"), gzipLike(3_000)])],
    ["a .tar without a magic", Buffer.concat([Buffer.from("index.html"), Buffer.alloc(3_062)])],
  ])("where it is no archive, with an error that names the formats: %s", async (_, other) => {
    const { context, folder, inputs } = await mirrorWorld([storage(other)]);
    const error = await rejection(bundleMirror.create(inputs, context));
    expect(error).toBeInstanceOf(errors.ArchiveError);
    expect(error.message).toMatch(
      other.length === 0 ? "is empty" : "is not a .tar.gz, .tar, .tar.zst or .zip archive: it begins with",
    );
    expect(filesIn(folder)).toEqual([]);
  });

  it("where the platform gives no link", async () => {
    const { context, platform, folder, inputs, server } = await mirrorWorld([storage(bytes)]);
    platform.links = [new errors.ConflictError({ happened: "unfinished", remedy: "wait." })];
    const error = await rejection(bundleMirror.create(inputs, context));
    expect(error).toBeInstanceOf(errors.ConflictError);
    expect(filesIn(folder)).toEqual([]);
    expect(server.requests).toEqual([]);
  });
});
