import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bundleMirror } from "../../../../provider/resources/bundleMirror";
import { DestinationError } from "../../../../provider/support/errors";
import { rejection } from "../../../support/clientUnderTest";
import type { Reply } from "../../../support/loopback";
import { destroyed, mirrored, mirrorWorld } from "../../../support/mirror/mirrorWorld";
import { testS3 } from "../../../support/mirror/s3Server";
import { contentIn, filesIn, gzipLike, storage } from "../../../support/mirror/storage";
import { archiveOf, type Files } from "../mirror/archive/archives";

const s3 = testS3();
const site: Files = [
  ["index.html", "<h1>One</h1>"],
  ["guide/start.html", "<h1>Start</h1>"],
];
const large = gzipLike(20 * 1024 ** 2);

async function bucketWorld(layout: "archive" | "site", ...replies: [Reply, ...Reply[]]) {
  const world = await mirrorWorld(replies);
  const destination = s3.server.destination(s3.bucket, "docs");
  const bucket = s3.server.folderOf(s3.bucket);
  return { ...world, bucket, inputs: { ...world.inputs, layout, destination } };
}

const objects = (bucket: string) => filesIn(bucket).filter((name) => !name.startsWith(".sgwtmp"));

/** An object of the user's. */
function mine(bucket: string, name: string): void {
  mkdirSync(join(bucket, name, ".."), { recursive: true });
  writeFileSync(join(bucket, name), "mine");
}

describe("two mirrors of one job at one prefix", () => {
  it.each([
    ["of one part", gzipLike(30_000)],
    ["of several parts", large],
  ])("share an archive %s, and the last one removes it", async (_, bytes) => {
    const world = await bucketWorld("archive", storage(bytes));
    const [prod, staging] = [await mirrored(world), await mirrored(world)];
    expect(await bundleMirror.read("id", prod, world.context)).toEqual(prod);
    await destroyed(staging);
    expect(objects(world.bucket)).toHaveLength(3);
    expect(await bundleMirror.read("id", prod, world.context)).toEqual(prod);
    await destroyed(prod);
    expect(objects(world.bucket)).toEqual([]);
  });

  it("with other bytes are refused, and the archive stays", async () => {
    const world = await bucketWorld("archive", storage(large), storage(gzipLike(20 * 1024 ** 2, 2)));
    const prod = await mirrored(world);
    expect(await rejection(mirrored(world))).toBeInstanceOf(DestinationError);
    expect(await bundleMirror.read("id", prod, world.context)).toEqual(prod);
  });

  it("share a site, and the last one removes it", async () => {
    const world = await bucketWorld("site", storage(await archiveOf("tar.gz", site)));
    const [prod, staging] = [await mirrored(world), await mirrored(world)];
    await destroyed(prod);
    expect(await bundleMirror.read("id", staging, world.context)).toEqual(staging);
    await destroyed(staging);
    expect(objects(world.bucket)).toEqual([]);
  });
});

describe("a site at a prefix with objects that are not its own", () => {
  it("is refused before a link is minted, and with allowExisting leaves them", async () => {
    const world = await bucketWorld("site", storage(await archiveOf("tar.gz", site)));
    mine(world.bucket, "docs/notes/a.txt");
    mine(world.bucket, "docs-of-others.txt");
    const before = contentIn(world.bucket);
    const error = await rejection(mirrored(world));
    expect(error.message).toContain('not this mirror\'s: "notes/a.txt".');
    expect(world.platform.calls).toEqual([]);
    const state = await mirrored(world, { allowExisting: true });
    expect(objects(world.bucket)).toHaveLength(5);
    await destroyed(state);
    expect(contentIn(world.bucket)).toEqual(before);
  });

  it("overwrites none of them", async () => {
    const world = await bucketWorld("site", storage(await archiveOf("tar.gz", site)));
    mine(world.bucket, "docs/guide/start.html");
    const before = contentIn(world.bucket);
    expect((await rejection(mirrored(world, { allowExisting: true }))).message).toContain('"guide/start.html"');
    expect(contentIn(world.bucket)).toEqual(before);
  });
});
