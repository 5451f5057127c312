import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { describe, expect, it } from "vitest";
import { bundleMirror } from "../../../../provider/resources/bundleMirror";
import type { BundleMirrorState } from "../../../../provider/resources/bundleMirrorState";
import { DestinationError } from "../../../../provider/support/errors";
import { rejection } from "../../../support/clientUnderTest";
import { type MirrorWorld, mirrored, mirrorWorld } from "../../../support/mirror/mirrorWorld";
import { testS3 } from "../../../support/mirror/s3Server";
import { gzipLike, sha256Of, storage } from "../../../support/mirror/storage";

const s3 = testS3();

const genuine = gzipLike(30_000);
const planted = gzipLike(30_000, 2);
const refreshed = (world: MirrorWorld, state: BundleMirrorState) => bundleMirror.read("id", state, world.context);

/** A bucket whose other writer puts what it likes. */
async function bucketWorld(...archives: [Buffer, ...Buffer[]]) {
  const [one, ...others] = archives.map((archive) => storage(archive));
  const world = await mirrorWorld([one ?? storage(genuine), ...others]);
  const inputs = { ...world.inputs, destination: s3.server.destination(s3.bucket, "docs") };
  const plant = async (name: string, Body: Buffer | string) => {
    const client = new S3Client({ endpoint: s3.server.endpoint, forcePathStyle: true });
    const { ETag } = await client.send(new PutObjectCommand({ Bucket: s3.bucket, Key: `docs/${name}`, Body }));
    client.destroy();
    return ETag;
  };
  const fileOf = (name: string) => join(s3.server.folderOf(s3.bucket), "docs", name);
  return { ...world, inputs, plant, fileOf };
}

/** Claims that an archive in a bucket is another mirror's too, by a manifest that holds whatever a reader may believe. */
async function plantArchive({ plant }: Awaited<ReturnType<typeof bucketWorld>>, own: object = {}): Promise<void> {
  const revision = await plant("job-1.tar.gz", planted);
  const claim = {
    ...{ file: "job-1.tar.gz", jobId: "job-1", version: "job-1", format: "tar.gz", sha256: sha256Of(genuine) },
    ...{ sizeBytes: genuine.length, mirroredAt: "2026-03-01T00:00:00.000Z", tool: "pulumi-docs-platform 0.1.0" },
    ...{ mirror: "0".repeat(16), ...own, revision, sharedWith: ["1".repeat(16)] },
  };
  await plant("job-1.json", JSON.stringify(claim));
  await plant("job-1.tar.gz.sha256", `${sha256Of(genuine)}  job-1.tar.gz\n`);
}

describe("an archive that somebody else has written", () => {
  it("before the first publication, with a manifest that tells the expected sha256, is not taken for the bundle", async () => {
    const world = await bucketWorld(genuine);
    await plantArchive(world);
    const inputs = { ...world.inputs, expectedSha256: sha256Of(genuine) };
    expect(await rejection(bundleMirror.create(inputs, world.context))).toBeInstanceOf(DestinationError);
    expect(readFileSync(world.fileOf("job-1.tar.gz")).equals(planted)).toBe(true);
  });

  it("after the publication, with such a manifest, is seen by a refresh and replaced by the next update", async () => {
    const world = await bucketWorld(genuine);
    const state = await mirrored(world);
    const { mirror } = JSON.parse(readFileSync(world.fileOf("job-1.json"), "utf8"));
    await plantArchive(world, { mirror });
    const read = await refreshed(world, state);
    expect(read).toMatchObject({ __differs: true });
    const updated = await bundleMirror.update("id", read as BundleMirrorState, world.inputs, world.context);
    expect(readFileSync(world.fileOf("job-1.tar.gz")).equals(genuine)).toBe(true);
    expect(await refreshed(world, updated)).toEqual(updated);
  });

  it.each(["job-1.tar.gz.sha256", "job-1.json"])(
    "is seen where only %s is changed, in its size the same",
    async (name) => {
      const world = await bucketWorld(genuine);
      const state = await mirrored(world);
      const text = readFileSync(world.fileOf(name), "utf8");
      await world.plant(name, text.replace(sha256Of(genuine), sha256Of(planted)));
      expect(await refreshed(world, state)).toMatchObject({ __differs: true });
    },
  );
});
