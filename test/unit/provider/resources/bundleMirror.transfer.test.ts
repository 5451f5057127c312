import { execFileSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import * as errors from "../../../../provider/support/errors";
import { systemClock } from "../../../../provider/support/time/clock";
import { rejection } from "../../../support/clientUnderTest";
import { planned, unchanged } from "../../../support/decisions";
import { answer, type Reply } from "../../../support/loopback";
import { mirrored, mirrorWorld } from "../../../support/mirror/mirrorWorld";
import { filesIn, gzipLike, sha256Of, storageReply } from "../../../support/mirror/storage";
import { campaignSeed } from "../../../support/random";
import { temporaryFolder } from "../../../support/temporaryFolder";
import { throwingLifecycles } from "../../../support/throwingLifecycles";
import { archiveWith } from "../mirror/archive/archives";

const { bundleMirror } = throwingLifecycles;

afterEach(() => vi.unstubAllEnvs());

const bytes = gzipLike(30_000);
const sha256 = sha256Of(bytes);
const other = gzipLike(20_000, 2);

describe("an archive in a folder", () => {
  it("is checked on the other side by sha256sum, and a changed byte shows there", async () => {
    const world = await mirrorWorld([storageReply(bytes)]);
    await mirrored(world);
    const check = () => execFileSync("sha256sum", ["-c", "job-1.tar.gz.sha256"], { cwd: world.folder, stdio: "pipe" });
    expect(String(check())).toBe("job-1.tar.gz: OK\n");
    writeFileSync(join(world.folder, "job-1.tar.gz"), other);
    expect(check).toThrow("1 computed checksum did NOT match");
  });

  it.each([
    ["job/../1", "job%2F..%2F1"],
    ["job 1?#", "job%201%3F%23"],
    ["jöb", "j%C3%B6b"],
  ])("of job %j is named %s, and lies in the destination", async (jobId, name) => {
    const world = await mirrorWorld([storageReply(bytes)]);
    const { url } = await mirrored(world, { jobId });
    expect(filesIn(world.folder)).toContain(`${name}.tar.gz`);
    expect(url).toBe(`${world.inputs.destination}/${encodeURIComponent(`${name}.tar.gz`)}`);
    const publicUrl = "https://cdn.example.com/docs/";
    const published = await mirrored(world, { jobId, publicUrl });
    expect(published.url).toBe(`https://cdn.example.com/docs/${encodeURIComponent(`${name}.tar.gz`)}`);
  });
});

describe("an update", () => {
  it.each([
    ["an expectedSha256 that equals the stored one", { expectedSha256: sha256 }],
    ["the same in capitals", { expectedSha256: sha256.toUpperCase() }],
    ["a publicUrl", { publicUrl: "https://cdn.example.com/docs" }],
    ["what counts for a transfer only, also if the archive has more", { maxBytes: 1, waitTimeout: "1s" }],
  ])("of %s sends nothing, and looks at nothing", async (_, changed) => {
    const world = await mirrorWorld([storageReply(bytes)]);
    const state = await mirrored(world);
    const inputs = { ...world.inputs, ...changed };
    expect(planned("BundleMirror", state, inputs, 0)).toMatchObject({
      ...unchanged,
      action: "update",
      changingOutputs: expect.any(Array),
    });
    // The bucket of this destination does not exist.
    const elsewhere = { ...inputs, destination: "s3://never-made" };
    const updated = await bundleMirror.update("id", state, elsewhere, world.context);
    expect(updated).toMatchObject({ ...changed, sha256, mirroredAt: state.mirroredAt });
    expect([world.platform.calls.length, world.server.requests.length]).toEqual([1, 1]);
    expect(await bundleMirror.update("id", updated, world.inputs, world.context)).toEqual(state);
  });

  it("leaves no archive of another format behind where the platform packs it otherwise now", async () => {
    const zip = await archiveWith("zip", [["index.html", "<h1>Docs</h1>"]]);
    const world = await mirrorWorld([storageReply(bytes), storageReply(zip)]);
    const state = { ...(await mirrored(world)), __difference: "changed" };
    const updated = await bundleMirror.update("id", state, world.inputs, world.context);
    expect(updated).toMatchObject({ format: "zip", url: expect.stringMatching(/job-1\.zip$/) });
    expect(filesIn(world.folder)).toEqual(["job-1.json", "job-1.zip", "job-1.zip.sha256"]);
  });
});

it("a refresh that cannot look leaves the state alone", async () => {
  const world = await mirrorWorld([storageReply(bytes)]);
  const state = { ...(await mirrored(world)), destination: `file://${world.folder}/${"x".repeat(300)}` };
  const error = await rejection(bundleMirror.read("id", state, world.context));
  expect(error).toBeInstanceOf(errors.DestinationError);
  expect(error.message).toContain("nothing was changed");
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
])(
  "a create that fails leaves nothing at the destination where it is no archive, with an error that names the formats: %s",
  async (_, content) => {
    const { context, folder, inputs } = await mirrorWorld([storageReply(content)]);
    const error = await rejection(bundleMirror.create(inputs, context));
    expect(error).toBeInstanceOf(errors.ArchiveError);
    expect(error.message).toMatch(
      content.length === 0 ? "is empty" : "is not a .tar.gz, .tar, .tar.zst or .zip archive: it begins with",
    );
    expect(filesIn(folder)).toEqual([]);
  },
);

const chunk = gzipLike(64 * 1024);

const endless: Reply = async (response) => {
  response.writeHead(200);
  while (!response.destroyed) {
    response.write(chunk);
    await sleep(1);
  }
};

/** An answer with a Content-Length header. The server sends a few bytes at a time, and never sends all of them. */
const drip: Reply = async (response) => {
  response.writeHead(200, { "content-length": String(bytes.length) });
  for (let at = 0; !response.destroyed; at += 10) {
    response.write(bytes.subarray(at, at + 10));
    await sleep(50);
  }
};

describe.each(["archive", "site"] as const)("a transfer to a mirror of layout %s", (layout) => {
  /** Creates a mirror from this answer, and returns the error. The failed run must leave no file. */
  async function failed(reply: Reply, limits: object): Promise<string> {
    const world = await mirrorWorld([reply]);
    const temporary = temporaryFolder();
    vi.stubEnv("TMPDIR", temporary);
    const inputs = { ...world.inputs, layout, ...limits };
    const context = { ...world.context, clock: systemClock };
    const error = await rejection(bundleMirror.create(inputs, context));
    expect(error).toBeInstanceOf(errors.DownloadError);
    expect([filesIn(world.folder), readdirSync(temporary)]).toEqual([[], []]);
    return error.message;
  }

  it("that never ends is given up at maxBytes", async () => {
    expect(await failed(endless, { maxBytes: 3_000_000 })).toContain("larger than maxBytes (3000000 bytes)");
  });

  it("that shows a larger size is not begun", async () => {
    expect(await failed(storageReply(bytes), { maxBytes: 29_999 })).toContain("larger than maxBytes (29999 bytes)");
  });

  it.each<[string, Reply]>([
    ["drips", drip],
    [
      "is silent",
      (response) => void response.writeHead(200, { "content-length": "900" }).write(bytes.subarray(0, 300)),
    ],
  ])("that %s is given up after waitTimeout", async (_, reply) => {
    const begin = Date.now();
    expect(await failed(reply, { waitTimeout: "800ms" })).toContain("longer than waitTimeout (800ms)");
    expect(Date.now() - begin).toBeLessThan(20_000);
  });
});

/** For 30 s, the provider requests the file every 1.5 s. After this number of bad answers, it requests another link. */
const asks = 20;

const situation = fc.record({
  status: fc.constantFrom(403, 404),
  layout: fc.constantFrom("archive", "site"),
  /** True if a part of the archive arrives before the bad answers. */
  hasDelivered: fc.boolean(),
  badAnswers: fc.oneof(fc.nat(3), fc.nat(2 * asks + 5)),
});

/** Returns the expected result of the transfer: the number of requested links, or the class of the error. */
function expectedEnd({
  status,
  hasDelivered,
  badAnswers,
}: Awaited<typeof situation extends fc.Arbitrary<infer S> ? S : never>) {
  if (status === 404) {
    return badAnswers < (hasDelivered ? 1 : asks) ? 1 : errors.DownloadError;
  }
  const first = hasDelivered ? 1 : asks;
  return badAnswers < first ? 1 : badAnswers < first + asks ? 2 : errors.StorageRefusedLinkError;
}

it("a storage that does not know a link yet is asked again for half a minute, and only about a link that has not delivered anything", async () => {
  const bundle = await archiveWith("tar", [["index.html", "x".repeat(100_000)]]);
  await fc.assert(
    fc.asyncProperty(situation, async (drawn) => {
      const { status, layout, hasDelivered, badAnswers } = drawn;
      const bad: Reply[] = Array(badAnswers).fill(answer(status, "not yet"));
      const begun = hasDelivered ? [storageReply(bundle, { etag: '"1"', cutAfter: 50_000 })] : [];
      const [reply, ...others] = [...begun, ...bad];
      const good = storageReply(bundle, { etag: '"1"' });
      const world = await mirrorWorld(reply ? [reply, ...others, good] : [good]);
      const end = await bundleMirror.create({ ...world.inputs, layout }, world.context).then(
        () => world.platform.calls.length,
        (error: Error) => error.constructor,
      );
      expect(end).toBe(expectedEnd(drawn));
      expect(filesIn(world.folder).length > 0).toBe(typeof end === "number");
    }),
    { numRuns: 60, seed: campaignSeed() },
  );
});
