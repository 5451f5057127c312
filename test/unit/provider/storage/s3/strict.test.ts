import { afterEach, describe, expect, it, vi } from "vitest";
import { ObjectJournal } from "../../../../../provider/journal/objectJournal";
import type { ObjectStore } from "../../../../../provider/storage/objectStore";
import { putText } from "../../../../../provider/storage/textFile";
import { never, rejection } from "../../../../support/clientUnderTest";
import { answer, serve } from "../../../../support/loopback";
import { frontOf, lockedEndpoint } from "../../../../support/mirror/lockedEndpoint";
import { destroyMirror, mirrored, mirrorWorld } from "../../../../support/mirror/mirrorWorld";
import { objectDestination, openedStore } from "../../../../support/mirror/objectPlaces";
import { keepVersions, testS3, useEnvironment, versionsIn } from "../../../../support/mirror/s3Server";
import { first, second } from "../../../../support/mirror/siteWorld";
import { filesIn, gzipLike, storageReply } from "../../../../support/mirror/storage";
import { toldByHost } from "../../../../support/toldByHost";
import { withoutMd5 } from "../../../../support/withoutMd5";
import { archiveWith } from "../../mirror/archive/archives";

const { bundleMirror } = toldByHost;

const s3 = testS3();
afterEach(() => vi.unstubAllEnvs());

describe("a bucket with Object Lock", () => {
  it.each([
    ["of one part", gzipLike(30_000)],
    ["of several parts", gzipLike(20 * 1024 ** 2)],
  ])("accepts an archive %s, each put with a checksum", async (_, bytes) => {
    const { url, puts } = await lockedEndpoint(s3);
    const world = await mirrorWorld([storageReply(bytes)]);
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
  it("accepts a mirror like any other bucket; what is removed leaves its versions to the bucket", async () => {
    await keepVersions(s3);
    const [one, two] = [await archiveWith("tar.gz", first), await archiveWith("zip", second)];
    const world = await mirrorWorld([storageReply(one), storageReply(two)]);
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
  it("is reported with the way to name its region", async () => {
    const moved = `<Error><Code>PermanentRedirect</Code><Message>Use another endpoint.</Message><Endpoint>b.s3.eu-west-1.amazonaws.com</Endpoint></Error>`;
    const headers = { "content-type": "application/xml", "x-amz-bucket-region": "eu-west-1" };
    const { url } = await serve(answer(301, moved, headers));
    useEnvironment({ AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b", AWS_REGION: "eu-central-1" });
    const world = await mirrorWorld([storageReply(gzipLike(30_000))]);
    const destination = `s3://bucket/docs?endpoint=${encodeURIComponent(url)}`;
    const error = await rejection(mirrored(world, { destination }));
    expect(error.message).toContain("give the bucket's region: it is eu-west-1 (?region=eu-west-1)");
  });
});

describe("a bucket with a policy", () => {
  const xml = (code: string, message: string) => `<Error><Code>${code}</Code><Message>${message}</Message></Error>`;
  const type = { "content-type": "application/xml" };

  it("that demands encryption gets every object with it, of a mirror and of a journal, and otherwise an error says how", async () => {
    const demanded = ["x-amz-server-side-encryption", "x-amz-server-side-encryption-aws-kms-key-id"];
    const { url } = await frontOf(s3, ({ method, url = "", headers }) => {
      const begins =
        (method === "PUT" && !url.includes("partNumber=")) || (method === "POST" && url.includes("uploads"));
      return begins && !(headers[demanded[0] ?? ""] === "aws:kms" && headers[demanded[1] ?? ""] === "alias/docs")
        ? xml("AccessDenied", "with an explicit deny in a resource-based policy")
        : undefined;
    });
    s3.server.destination(s3.bucket);
    const place = `s3://${s3.bucket}/docs?endpoint=${encodeURIComponent(url)}`;
    for (const bytes of [gzipLike(30_000), gzipLike(20 * 1024 ** 2)]) {
      const world = await mirrorWorld([storageReply(bytes)]);
      const error = await rejection(mirrored(world, { destination: place }));
      expect(error.message).toContain("if the bucket's policy demands encryption, add ?sse=aws:kms");
      const state = await mirrored(world, { destination: `${place}&sse=aws:kms&kmsKeyId=alias/docs` });
      expect(await bundleMirror.read("id", state, world.context)).toEqual(state);
      await destroyMirror(state);
    }
    const entry = `${"a".repeat(32)}-${"b".repeat(32)}.0123456789ab`;
    const journalAt = (address: string) => new ObjectJournal(address, objectDestination(address));
    await journalAt(`${place}&sse=aws:kms&kmsKeyId=alias/docs`).write(entry, "one");
    expect(await rejection(journalAt(place).write(entry, "two"))).toMatchObject({
      remedy: expect.stringContaining("if the bucket's policy demands encryption, add ?sse=aws:kms"),
    });
  });

  it("or a key that cannot be used, or a lock that refuses a removal, is reported with what it is about", async () => {
    useEnvironment({ AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b", AWS_REGION: "eu-central-1" });
    const failure = async (use: (store: ObjectStore) => Promise<unknown>, code: string, message: string) => {
      const { url } = await serve(answer(403, xml(code, message), type));
      return (await rejection(use(openedStore(`s3://bucket/docs?endpoint=${encodeURIComponent(url)}`)))).message;
    };
    const put = (store: ObjectStore) => putText(store, "a", "x", never);
    const usable = "let these credentials use the KMS key";
    expect(await failure(put, "KMS.DisabledException", "the key is disabled")).toContain(usable);
    expect(await failure(put, "AccessDenied", "not authorized to perform: kms:GenerateDataKey")).toContain(usable);
    const locked = await failure((store) => store.remove(["guide/a.html"]), "AccessDenied", "protected by object lock");
    expect(locked).toContain('the object "guide/a.html" cannot be removed: AccessDenied');
    expect(locked).toContain("the object is locked: end its retention");
  });
});

describe("a machine under FIPS, which has no MD5,", () => {
  it.each([
    ["of one part", gzipLike(30_000)],
    ["of several parts", gzipLike(20 * 1024 ** 2)],
  ])("sends an archive %s with SHA-256, which a bucket with Object Lock accepts", async (_, bytes) => {
    withoutMd5();
    const { url, puts } = await lockedEndpoint(s3);
    const world = await mirrorWorld([storageReply(bytes)]);
    s3.server.destination(s3.bucket);
    const destination = `s3://${s3.bucket}/docs?endpoint=${encodeURIComponent(url)}`;
    const state = await mirrored(world, { destination });
    expect(puts.refused).toBe(0);
    expect(await bundleMirror.read("id", state, world.context)).toEqual(state);
    await destroyMirror(state);
  });
});
