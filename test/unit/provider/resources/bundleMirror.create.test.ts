import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bundleMirror } from "../../../../provider/resources/bundleMirror";
import * as errors from "../../../../provider/support/errors";
import { rejection } from "../../../support/clientUnderTest";
import { answer, silence } from "../../../support/loopback";
import { destroyed, mirrored, mirrorWorld, signature } from "../../../support/mirror/mirrorWorld";
import { filesIn, gzipLike, sha256Of, storage } from "../../../support/mirror/storage";
import { archiveWith, formats } from "../mirror/archive/archives";

const bytes = gzipLike(30_000);
const sha256 = sha256Of(bytes);
const etag = '"v1"';

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

  it("puts a manifest and a checksum beside it, and leaves nothing else", async () => {
    const world = await mirrorWorld([storage(bytes)]);
    await mirrored(world);
    expect(filesIn(world.folder)).toEqual(["job-1.json", "job-1.tar.gz", "job-1.tar.gz.sha256"]);
    const manifest = JSON.parse(readFileSync(join(world.folder, "job-1.json"), "utf8"));
    expect(manifest).toEqual({
      file: "job-1.tar.gz",
      jobId: "job-1",
      version: "job-1",
      format: "tar.gz",
      sha256,
      sizeBytes: 30_000,
      mirroredAt: "2026-03-01T00:00:00.000Z",
      tool: expect.stringMatching(/^pulumi-docs-platform \d+\.\d+\.\d+/),
      mirror: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
  });

  it.each([
    ["7z", Buffer.concat([Buffer.from("7z\xbc\xaf\x27\x1c\0\x04", "latin1"), gzipLike(3_000)])],
    ["tar.bz2", Buffer.concat([Buffer.from("BZh91AY&SY"), gzipLike(3_000)])],
    ["tar without a magic", Buffer.concat([Buffer.from("index.html"), Buffer.alloc(3_062)])],
  ])("is kept as it is where nobody here could unpack it: %s", async (_, other) => {
    const { folder, inputs, context } = await mirrorWorld([storage(other)]);
    const { state } = await bundleMirror.create(inputs, context);
    expect(state).toMatchObject({ format: "bin", sha256: sha256Of(other), url: `${inputs.destination}/job-1.bin` });
    expect(readFileSync(join(folder, "job-1.bin")).equals(other)).toBe(true);
    expect(await bundleMirror.read("id", state, context)).toEqual(state);
    await destroyed(state);
    expect(filesIn(folder)).toEqual([]);
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

  it.each(formats)("knows a .%s by its first bytes, whatever the link is called", async (format) => {
    const world = await mirrorWorld([storage(await archiveWith(format, [["index.html", "<h1>Docs</h1>"]]))]);
    expect(await mirrored(world)).toMatchObject({
      format,
      url: expect.stringMatching(new RegExp(`/job-1\\.${format}$`)),
    });
  });

  it("makes the folder where it is not there", async () => {
    const world = await mirrorWorld([storage(bytes)]);
    await mirrored(world, { destination: `${world.inputs.destination}/a/b` });
    expect(filesIn(world.folder)).toContain("a/b/job-1.tar.gz");
  });

  it("takes the archive that expectedSha256 pins, in whatever case it is written", async () => {
    const world = await mirrorWorld([storage(bytes)]);
    expect(await mirrored(world, { expectedSha256: sha256.toUpperCase() })).toMatchObject({ sha256 });
  });

  it("shows how far it is, and no link", async () => {
    const world = await mirrorWorld([storage(bytes)]);
    await mirrored(world);
    expect(world.statuses[0]).toMatch(/^\d+ % \d+s left, \d+(\.\d)? KiB of 29 KiB/);
    expect(world.statuses.join()).not.toContain(signature);
  });

  it("keeps the link and its signature out of the state and of every file", async () => {
    const world = await mirrorWorld([storage(bytes)]);
    const state = await mirrored(world);
    expect(JSON.stringify(state)).not.toContain(signature);
    for (const name of filesIn(world.folder)) {
      expect(readFileSync(join(world.folder, name), "latin1")).not.toContain(signature);
    }
  });

  it("goes on after a break, and mints one fresh link where the old one has expired meanwhile", async () => {
    const world = await mirrorWorld([
      storage(bytes, { etag, cutAfter: 10_000 }),
      answer(403, "expired"),
      storage(bytes, { etag }),
    ]);
    expect(await mirrored(world)).toMatchObject({ sha256 });
    expect(world.platform.calls).toEqual(["bundle job-1", "bundle job-1"]);
    expect(filesIn(world.folder)).toHaveLength(3);
  });

  it("begins anew where the storage cannot go on, and leaves nothing of the first part", async () => {
    const world = await mirrorWorld([storage(gzipLike(30_000, 2), { cutAfter: 10_000 }), storage(bytes)]);
    expect(await mirrored(world)).toMatchObject({ sha256, sizeBytes: 30_000 });
    expect(readFileSync(join(world.folder, "job-1.tar.gz")).equals(bytes)).toBe(true);
  });
});

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

  it("where the archive is cut short", async () => {
    const { context, folder, inputs } = await mirrorWorld([storage(bytes, { cutAfter: 10_000 })]);
    const error = await rejection(bundleMirror.create(inputs, context));
    expect(error).toBeInstanceOf(errors.DownloadError);
    expect(filesIn(folder)).toEqual([]);
  });

  it.each([
    ["a page", Buffer.from("<!DOCTYPE html><h1>Sign in</h1>"), "is a text, not an archive: it begins with"],
    ["an error in JSON", Buffer.from('\ufeff{"error": "größer"}\r\n\t'), "is a text, not an archive: it begins with"],
    ["nothing", Buffer.alloc(0), "is empty"],
  ])("where it is no archive: %s", async (_, other, reason) => {
    const { context, folder, inputs } = await mirrorWorld([storage(other)]);
    const error = await rejection(bundleMirror.create(inputs, context));
    expect(error).toBeInstanceOf(errors.ArchiveError);
    expect(error.message).toContain(reason);
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

  it("where the link is plain http and the platform is not on this machine", async () => {
    const { context, folder, inputs, server } = await mirrorWorld([storage(bytes)], {
      baseUrl: "https://api.example.com",
    });
    const error = await rejection(bundleMirror.create(inputs, context));
    expect(error).toBeInstanceOf(errors.LinkAddressError);
    expect(error.message).not.toContain(signature);
    expect(server.connections).toBe(0);
    expect(filesIn(folder)).toEqual([]);
  });

  it("where the run is cancelled in the middle, at once", async () => {
    const { context, cancel, folder, inputs } = await mirrorWorld([
      (response) => void response.writeHead(200, { "content-length": "900000" }).write(bytes),
    ]);
    const ended = rejection(bundleMirror.create(inputs, context));
    setTimeout(cancel, 150);
    expect(await ended).toBeInstanceOf(errors.InterruptedError);
    expect(filesIn(folder)).toEqual([]);
  });

  it("where the storage never answers and the run is cancelled", async () => {
    const { context, cancel, folder, inputs } = await mirrorWorld([silence]);
    const ended = rejection(bundleMirror.create(inputs, context));
    setTimeout(cancel, 100);
    expect(await ended).toBeInstanceOf(errors.InterruptedError);
    expect(filesIn(folder)).toEqual([]);
  });

  it("and what was there before of the same job stays as it was", async () => {
    const world = await mirrorWorld([storage(bytes), storage(gzipLike(30_000, 2))]);
    await mirrored(world);
    const before = filesIn(world.folder).map((name) => readFileSync(join(world.folder, name), "latin1"));
    const inputs = { ...world.inputs, expectedSha256: sha256 };
    expect(await rejection(bundleMirror.create(inputs, world.context))).toBeInstanceOf(errors.ChecksumError);
    expect(filesIn(world.folder).map((name) => readFileSync(join(world.folder, name), "latin1"))).toEqual(before);
  });
});
