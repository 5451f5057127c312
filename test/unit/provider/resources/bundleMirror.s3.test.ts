import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HeadObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { describe, expect, it, vi } from "vitest";
import { bundleMirror } from "../../../../provider/resources/bundleMirror";
import type { BundleMirrorInputs, BundleMirrorState } from "../../../../provider/resources/bundleMirrorState";
import { PartialFailure } from "../../../../provider/resources/lifecycle";
import * as errors from "../../../../provider/support/errors";
import { rejection } from "../../../support/clientUnderTest";
import type { Reply } from "../../../support/loopback";
import { destroyed, type MirrorWorld, mirrored, mirrorWorld } from "../../../support/mirror/mirrorWorld";
import { testS3 } from "../../../support/mirror/s3Server";
import { filesIn, gzipLike, sha256Of, storage } from "../../../support/mirror/storage";
import { archiveOf, type Files } from "../mirror/archive/archives";

const mebibyte = 1024 ** 2;
const large = gzipLike(20 * mebibyte);
const small = gzipLike(30_000);
const manifest = ".bundle-mirror.json";

const s3 = testS3();

/** A mirror's surroundings whose destination is a bucket of its own. */
async function bucketWorld(replies: [Reply, ...Reply[]], layout: BundleMirrorInputs["layout"] = "archive") {
  const world = await mirrorWorld(replies);
  return { ...world, inputs: { ...world.inputs, layout, destination: s3.server.destination(s3.bucket, "docs") } };
}

const objects = () => filesIn(s3.server.folderOf(s3.bucket)).filter((name) => !name.startsWith(".sgwtmp"));
const fileOf = (name: string) => join(s3.server.folderOf(s3.bucket), "docs", name);

async function headOf(name: string) {
  const client = new S3Client({ endpoint: s3.server.endpoint, forcePathStyle: true });
  const head = await client.send(new HeadObjectCommand({ Bucket: s3.bucket, Key: `docs/${name}` }));
  client.destroy();
  return head;
}

/** What a refresh makes of the state. */
const refreshed = (world: MirrorWorld, state: BundleMirrorState) => bundleMirror.read("id", state, world.context);

describe("an archive in a bucket", () => {
  it.each([
    ["one part", small],
    ["several parts", large],
  ])("of %s is put there with its manifest and checksum, under an address without a signature", async (_, bytes) => {
    const world = await bucketWorld([storage(bytes)]);
    const { id, state } = await bundleMirror.create(world.inputs, world.context);
    expect(id).toBe(`${world.inputs.destination}#job-1`);
    expect(state).toMatchObject({
      sha256: sha256Of(bytes),
      sizeBytes: bytes.length,
      format: "tar.gz",
      url: `${s3.server.endpoint}/${s3.bucket}/docs/job-1.tar.gz`,
    });
    expect(objects()).toEqual(["docs/job-1.json", "docs/job-1.tar.gz", "docs/job-1.tar.gz.sha256"]);
    expect(sha256Of(readFileSync(fileOf("job-1.tar.gz")))).toBe(sha256Of(bytes));
    expect(readFileSync(fileOf("job-1.tar.gz.sha256"), "utf8")).toBe(`${sha256Of(bytes)}  job-1.tar.gz\n`);
    expect((await headOf("job-1.tar.gz")).ContentType).toBe("application/gzip");
    expect(await refreshed(world, state)).toEqual(state);
  });

  it("holds no credentials in its state", async () => {
    const world = await bucketWorld([storage(small)]);
    const text = JSON.stringify(await mirrored(world));
    for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]) {
      expect(text).not.toContain(s3.server.environment[name]);
    }
  });

  it.each([
    ["one part", small],
    ["several parts", large],
  ])("of another sha256 than expected (%s) is never completed: nothing is there", async (_, bytes) => {
    const world = await bucketWorld([storage(bytes)]);
    const create = bundleMirror.create({ ...world.inputs, expectedSha256: "0".repeat(64) }, world.context);
    expect(await rejection(create)).toBeInstanceOf(errors.ChecksumError);
    expect(objects()).toEqual([]);
  });

  it("that is cut short is never completed: nothing is there", async () => {
    const world = await bucketWorld([storage(large, { cutAfter: 12 * mebibyte })]);
    expect(await rejection(bundleMirror.create(world.inputs, world.context))).toBeInstanceOf(errors.DownloadError);
    expect(objects()).toEqual([]);
  });

  it("begins anew where the storage of the platform cannot go on", async () => {
    const world = await bucketWorld([storage(gzipLike(20 * mebibyte, 2), { cutAfter: 12 * mebibyte }), storage(large)]);
    expect(await mirrored(world)).toMatchObject({ sha256: sha256Of(large) });
    expect(sha256Of(readFileSync(fileOf("job-1.tar.gz")))).toBe(sha256Of(large));
  });

  it("is dropped from the state where it is missing", async () => {
    const world = await bucketWorld([storage(small)]);
    const state = await mirrored(world);
    rmSync(fileOf("job-1.tar.gz"));
    expect(await refreshed(world, state)).toBeUndefined();
  });

  it("is left in the state where S3 cannot be asked", async () => {
    const world = await bucketWorld([storage(small)]);
    const state = await mirrored(world);
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "wrong-0123456789");
    const error = await rejection(refreshed(world, state) as Promise<unknown>);
    expect(error).toBeInstanceOf(errors.DestinationError);
    expect(error.message).toContain("nothing was changed");
  });

  it("that was overwritten is marked without a transfer, and mended by the next update", async () => {
    const world = await bucketWorld([storage(small)]);
    const state = await mirrored(world);
    const client = new S3Client({ endpoint: s3.server.endpoint, forcePathStyle: true });
    const object = { Bucket: s3.bucket, Key: "docs/job-1.tar.gz" };
    await client.send(new PutObjectCommand({ ...object, Body: gzipLike(30_000, 2) }));
    client.destroy();
    const read = await refreshed(world, state);
    expect(read).toEqual({ ...state, __differs: true, __difference: expect.any(String) });
    expect(world.server.requests).toHaveLength(1);
    const updated = await bundleMirror.update("id", { ...state, __differs: true }, world.inputs, world.context);
    expect(updated).toEqual(state);
    expect(world.server.requests).toHaveLength(2);
  });

  it("whose checksum is missing has it written anew, without a transfer", async () => {
    const world = await bucketWorld([storage(small)]);
    const state = await mirrored(world);
    rmSync(fileOf("job-1.tar.gz.sha256"));
    expect(await refreshed(world, state)).toEqual({ ...state, __differs: true, __difference: expect.any(String) });
    await bundleMirror.update("id", { ...state, __differs: true }, world.inputs, world.context);
    expect(objects()).toHaveLength(3);
    expect(world.server.requests).toHaveLength(1);
  });

  it("is removed by its own mirror, and by no other", async () => {
    const world = await bucketWorld([storage(small)]);
    const old = await mirrored(world);
    const state = await mirrored(world);
    await destroyed(old);
    expect(objects()).toHaveLength(3);
    await destroyed(state);
    expect(objects()).toEqual([]);
    await destroyed(state);
  });
});

const first: Files = [
  ["index.html", "<h1>One</h1>"],
  ["guide/old.html", "<h1>Old</h1>"],
  ["assets/style.css", "h1 {}"],
  ["assets/logo.svg", "<svg/>"],
  ["data", "x"],
];
const second: Files = [
  ["index.html", "<h1>Two</h1>"],
  ["guide/start.html", "<h1>Start</h1>"],
];

describe("a site in a bucket", () => {
  it("is published with the content types and the caching of a static host", async () => {
    const world = await bucketWorld([storage(await archiveOf("tar.gz", first))], "site");
    const state = await mirrored(world);
    expect(state.url).toBe(`${s3.server.endpoint}/${s3.bucket}/docs/`);
    expect(objects()).toEqual([manifest, ...first.map(([path]) => path)].map((name) => `docs/${name}`).sort());
    const headers = new Map<string, unknown>();
    for (const [path] of first) {
      const { ContentType: type, CacheControl: caching } = await headOf(path);
      headers.set(path, [type, caching]);
    }
    expect(Object.fromEntries(headers)).toEqual({
      "index.html": ["text/html; charset=utf-8", "no-cache"],
      "guide/old.html": ["text/html; charset=utf-8", "no-cache"],
      "assets/style.css": ["text/css; charset=utf-8", "public, max-age=300"],
      "assets/logo.svg": ["image/svg+xml", "public, max-age=300"],
      data: ["application/octet-stream", "public, max-age=300"],
    });
    expect(await refreshed(world, state)).toEqual(state);
  });

  it("has only the new files after the job has changed, and none after it was removed", async () => {
    const archives = [await archiveOf("tar.gz", first), await archiveOf("zip", second)] as const;
    const world = await bucketWorld([storage(archives[0]), storage(archives[1])], "site");
    const state = await mirrored(world);
    const inputs = { ...world.inputs, jobId: "job-2" };
    const updated = await bundleMirror.update("id", state, inputs, world.context);
    expect(objects()).toEqual([manifest, ...second.map(([path]) => path)].map((name) => `docs/${name}`).sort());
    expect(await refreshed(world, updated)).toEqual(updated);
    await destroyed(updated);
    expect(objects()).toEqual([]);
  });

  it("is marked where a page of many is missing or changed, and published anew by the next update", async () => {
    const many: Files = Array.from({ length: 20 }, (_, page) => [`pages/${page}.html`, `<h1>${page}</h1>`]);
    const world = await bucketWorld([storage(await archiveOf("tar.gz", [...first, ...many]))], "site");
    const state = await mirrored(world);
    rmSync(fileOf("pages/7.html"));
    expect(await refreshed(world, state)).toEqual({ ...state, __differs: true, __difference: expect.any(String) });
    const updated = await bundleMirror.update("id", { ...state, __differs: true }, world.inputs, world.context);
    expect(await refreshed(world, updated)).toEqual(updated);
    writeFileSync(fileOf("pages/7.html"), "<h1>changed</h1>");
    expect(await refreshed(world, updated)).toEqual({ ...updated, __differs: true, __difference: expect.any(String) });
  });

  it("that fails in the middle goes on in the next update", async () => {
    const world = await bucketWorld([storage(await archiveOf("tar.gz", first))], "site");
    // Where this server keeps the objects in folders, a folder stands in the way of one.
    mkdirSync(fileOf("assets/style.css/x"), { recursive: true });
    const failed = (await rejection(
      bundleMirror.create(world.inputs, world.context),
    )) as PartialFailure<BundleMirrorState>;
    expect(failed).toBeInstanceOf(PartialFailure);
    rmSync(fileOf("assets/style.css"), { recursive: true });
    const updated = await bundleMirror.update("id", failed.state, world.inputs, world.context);
    expect(await refreshed(world, updated)).toEqual(updated);
    expect(objects()).toHaveLength(first.length + 1);
  });
});

describe("a bucket that is not there", () => {
  it.each(["archive", "site"] as const)("is an error of the first run (%s), and nothing is kept", async (layout) => {
    const world = await mirrorWorld([storage(await archiveOf("tar.gz", first))]);
    const destination = `s3://never-made?endpoint=${s3.server.endpoint}`;
    const error = await rejection(bundleMirror.create({ ...world.inputs, layout, destination }, world.context));
    expect(error).toBeInstanceOf(errors.DestinationError);
    expect(error.message).toContain("NoSuchBucket");
  });
});

describe("an S3 server on this machine, and a platform that is not", () => {
  it("are refused before a link is minted", async () => {
    const world = await mirrorWorld([storage(small)], { baseUrl: "https://api.example.com" });
    const destination = s3.server.destination(s3.bucket);
    const error = await rejection(bundleMirror.create({ ...world.inputs, destination }, world.context));
    expect(error.message).toContain("would be reached by plain http");
    expect(world.platform.calls).toEqual([]);
  });
});
