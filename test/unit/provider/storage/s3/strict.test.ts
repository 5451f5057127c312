import { afterEach, describe, expect, it, vi } from "vitest";
import { rejection } from "../../../../support/clientUnderTest";
import { answer, serve } from "../../../../support/loopback";
import { lockedEndpoint } from "../../../../support/mirror/lockedEndpoint";
import { destroyMirror, mirrored, mirrorWorld } from "../../../../support/mirror/mirrorWorld";
import { keepVersions, testS3, useEnvironment, versionsIn } from "../../../../support/mirror/s3Server";
import { first, second } from "../../../../support/mirror/siteWorld";
import { filesIn, gzipLike, storage } from "../../../../support/mirror/storage";
import { toldByHost } from "../../../../support/toldByHost";
import { archiveWith } from "../../mirror/archive/archives";

const { bundleMirror } = toldByHost;

const s3 = testS3();
afterEach(() => vi.unstubAllEnvs());

describe("a bucket with Object Lock", () => {
  it.each([
    ["of one part", gzipLike(30_000)],
    ["of several parts", gzipLike(20 * 1024 ** 2)],
  ])("takes an archive %s, each put with a checksum", async (_, bytes) => {
    const { url, puts } = await lockedEndpoint(s3);
    const world = await mirrorWorld([storage(bytes)]);
    s3.server.destination(s3.bucket);
    const destination = `s3://${s3.bucket}/docs?endpoint=${encodeURIComponent(url)}`;
    const state = await mirrored(world, { destination });
    expect(filesIn(s3.server.folderOf(s3.bucket)).filter((name) => name.startsWith("docs/"))).toHaveLength(3);
    expect(puts.refused).toBe(0);
    expect(puts.taken).toBeGreaterThanOrEqual(3);
    expect(await bundleMirror.read("id", state, world.context)).toEqual(state);
    await destroyMirror(state);
  });
});

describe("a bucket that keeps versions", () => {
  it("holds a mirror as any other does; what is removed leaves its versions to the bucket", async () => {
    await keepVersions(s3);
    const [one, two] = [await archiveWith("tar.gz", first), await archiveWith("zip", second)];
    const world = await mirrorWorld([storage(one), storage(two)]);
    const inputs = { ...world.inputs, layout: "site" as const, destination: s3.server.destination(s3.bucket, "docs") };
    const { state } = await bundleMirror.create(inputs, world.context);
    const updated = await bundleMirror.update("id", state, { ...inputs, jobId: "job-2" }, world.context);
    expect(await bundleMirror.read("id", updated, world.context)).toEqual(updated);
    await destroyMirror(updated);
    expect(await bundleMirror.read("id", updated, world.context)).toBeUndefined();
    expect(await versionsIn(s3)).toContain("docs/guide/old.html");
  });
});

describe("a bucket in another region", () => {
  it("is told with the way to name its region", async () => {
    const moved = `<Error><Code>PermanentRedirect</Code><Message>Use another endpoint.</Message><Endpoint>b.s3.eu-west-1.amazonaws.com</Endpoint></Error>`;
    const headers = { "content-type": "application/xml", "x-amz-bucket-region": "eu-west-1" };
    const { url } = await serve(answer(301, moved, headers));
    useEnvironment({ AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b", AWS_REGION: "eu-central-1" });
    const world = await mirrorWorld([storage(gzipLike(30_000))]);
    const destination = `s3://bucket/docs?endpoint=${encodeURIComponent(url)}`;
    const error = await rejection(mirrored(world, { destination }));
    expect(error.message).toContain("give the bucket's region as ?region= in its s3:// address");
  });
});
