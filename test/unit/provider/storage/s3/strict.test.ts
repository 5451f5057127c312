import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ObjectJournal } from "../../../../../provider/journal/objectJournal";
import { rejection } from "../../../../support/clientUnderTest";
import { destroyMirror, mirrored, mirrorWorld } from "../../../../support/mirror/mirrorWorld";
import { objectDestination } from "../../../../support/mirror/objectPlaces";
import { keepVersions, testS3, versionsIn } from "../../../../support/mirror/s3Server";
import { first, second } from "../../../../support/mirror/siteWorld";
import { filesIn, gzipLike, storageReply } from "../../../../support/mirror/storage";
import { storeFront } from "../../../../support/strangers/storeFront";
import { throwingLifecycles } from "../../../../support/throwingLifecycles";
import { withoutMd5 } from "../../../../support/withoutMd5";
import { archiveWith } from "../../mirror/archive/archives";

const { bundleMirror } = throwingLifecycles;

const s3 = testS3();

const refusal = (status: number, code: string, message: string) => ({
  status,
  headers: { "content-type": "application/xml" },
  body: `<Error><Code>${code}</Code><Message>${message}</Message></Error>`,
});

/** Like a bucket with Object Lock, this server refuses a PUT without a checksum. */
async function lockedEndpoint() {
  const puts = { refused: 0, taken: 0 };
  const front = await storeFront(() => s3.server.endpoint);
  front.habit.request = ({ method, headers }) => {
    const hasChecksum =
      headers["content-md5"] !== undefined ||
      Object.keys(headers).some((name) => /^x-amz-checksum-(?!mode)/.test(name));
    if (method !== "PUT") {
      return undefined;
    }
    puts[hasChecksum ? "taken" : "refused"]++;
    return hasChecksum ? undefined : refusal(400, "InvalidRequest", "Content-MD5 OR x-amz-checksum- is required");
  };
  return { puts, url: front.url };
}

afterEach(() => vi.unstubAllEnvs());

describe("a bucket with Object Lock", () => {
  it.each([
    ["of one part", gzipLike(30_000)],
    ["of several parts", gzipLike(20 * 1024 ** 2)],
  ])("accepts an archive %s, each put with a checksum", async (_, bytes) => {
    const { url, puts } = await lockedEndpoint();
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

it("a site overwrites no file of others in a bucket whose listing encodes its keys unasked", async () => {
  const front = await storeFront(() => s3.server.endpoint);
  front.habit.answer = ({ body }, { method, url }) =>
    method === "GET" && url.includes("list-type=2")
      ? {
          body: String(body)
            .replace(/(?<=<Key>).*?(?=<\/Key>)/g, encodeURIComponent)
            .replace(/<EncodingType>.*?<\/EncodingType>/, "")
            .replace(/<ListBucketResult[^>]*>/, "$&<EncodingType>url</EncodingType>"),
        }
      : {};
  s3.server.destination(s3.bucket);
  const folder = join(s3.server.folderOf(s3.bucket), "encoded", "guide");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "start.html"), "of others");
  const world = await mirrorWorld([storageReply(await archiveWith("tar.gz", first))]);
  const destination = `s3://${s3.bucket}/encoded?endpoint=${encodeURIComponent(front.url)}`;
  const error = await rejection(
    bundleMirror.create({ ...world.inputs, layout: "site" as const, destination }, world.context),
  );
  expect(error.message).toContain('files that do not belong to this mirror: "guide/start.html"');
  expect(readFileSync(join(folder, "start.html"), "utf8")).toBe("of others");
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

describe("a bucket with a policy", () => {
  it("that demands encryption gets every object with it, of a mirror and of a journal, and otherwise an error says how", async () => {
    const demanded = ["x-amz-server-side-encryption", "x-amz-server-side-encryption-aws-kms-key-id"];
    const front = await storeFront(() => s3.server.endpoint);
    front.habit.request = ({ method, url, headers }) => {
      const begins =
        (method === "PUT" && !url.includes("partNumber=")) || (method === "POST" && url.includes("uploads"));
      return begins && !(headers[demanded[0] ?? ""] === "aws:kms" && headers[demanded[1] ?? ""] === "alias/docs")
        ? refusal(403, "AccessDenied", "with an explicit deny in a resource-based policy")
        : undefined;
    };
    s3.server.destination(s3.bucket);
    const place = `s3://${s3.bucket}/docs?endpoint=${encodeURIComponent(front.url)}`;
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
});

describe("a machine under FIPS, which has no MD5,", () => {
  it.each([
    ["of one part", gzipLike(30_000)],
    ["of several parts", gzipLike(20 * 1024 ** 2)],
  ])("sends an archive %s with SHA-256, which a bucket with Object Lock accepts", async (_, bytes) => {
    withoutMd5();
    const { url, puts } = await lockedEndpoint();
    const world = await mirrorWorld([storageReply(bytes)]);
    s3.server.destination(s3.bucket);
    const destination = `s3://${s3.bucket}/docs?endpoint=${encodeURIComponent(url)}`;
    const state = await mirrored(world, { destination });
    expect(puts.refused).toBe(0);
    expect(await bundleMirror.read("id", state, world.context)).toEqual(state);
    await destroyMirror(state);
  });
});
