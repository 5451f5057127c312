import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { BundleMirrorInputs, BundleMirrorState } from "../../../../provider/definitions/bundleMirror";
import { unknown } from "../../../../provider/definitions/values";
import * as errors from "../../../../provider/support/errors";
import { systemClock } from "../../../../provider/support/time/clock";
import { rejection } from "../../../support/clientUnderTest";
import { checked, planned, unchanged } from "../../../support/decisions";
import { answer, type Reply } from "../../../support/loopback";
import { mirrored, mirrorWorld } from "../../../support/mirror/mirrorWorld";
import { canMount, mounted } from "../../../support/mirror/mounts";
import { first, siteWorld } from "../../../support/mirror/siteWorld";
import { filesIn, gzipLike, sha256Of, storageReply } from "../../../support/mirror/storage";
import { campaignSeed } from "../../../support/random";
import { folderForTemporaryFiles } from "../../../support/temporaryFolder";
import { throwingLifecycles } from "../../../support/throwingLifecycles";
import { archiveWith, tarOf } from "../mirror/archive/archives";

const { bundleMirror } = throwingLifecycles;

afterEach(() => vi.unstubAllEnvs());

const good = { jobId: "job-1", destination: "file:///srv/docs" };
const check = (inputs: Record<string, unknown>) => checked("BundleMirror", inputs, undefined);

describe("check", () => {
  it("fills the version from the job's id, and the layout, so that both are known in a preview", () => {
    expect(check(good)).toEqual({ inputs: { ...good, layout: "archive", version: "job-1" }, failures: [] });
    expect(check({ ...good, jobId: unknown })).toEqual({
      inputs: { ...good, jobId: unknown, layout: "archive", version: unknown },
      failures: [],
    });
  });

  it.each<[string, Record<string, unknown>]>([
    ["jobId", { destination: "file:///srv/docs" }],
    ["jobId", { ...good, jobId: " " }],
    ["destination", { jobId: "job-1" }],
    ["destination", { ...good, destination: "https://example.com" }],
    ["destination", { ...good, destination: "s3://user:secret@docs" }],
    ["destination", { ...good, destination: "s3://docs?secretAccessKey=secret" }],
    ["publicUrl", { ...good, destination: "oci://registry.example.com/docs", publicUrl: "https://cdn.example.com" }],
    ["expectedSha256", { ...good, expectedSha256: "ab" }],
    ["expectedSha256", { ...good, expectedSha256: "g".repeat(64) }],
    ["layout", { ...good, layout: "folder" }],
    ["publicUrl", { ...good, publicUrl: "cdn.example.com" }],
    ["publicUrl", { ...good, publicUrl: "https://user:secret@cdn.example.com" }],
    ["publicUrl", { ...good, publicUrl: "https://cdn.example.com/?secret" }],
    ["publicUrl", { ...good, publicUrl: "https://cdn.example.com/#a" }],
    ["maxBytes", { ...good, maxBytes: 0 }],
    ["maxBytes", { ...good, maxBytes: 1.5 }],
    ["maxBytes", { ...good, maxBytes: "8GiB" }],
    ["waitTimeout", { ...good, waitTimeout: "0" }],
    ["version", { ...good, version: "v2" }],
  ])("refuses a bad %s by name, and shows no secret: %o", (property, inputs) => {
    const { failures } = check(inputs);
    expect(failures.map((failure) => failure.property)).toEqual([property]);
    expect(failures[0]?.reason).not.toContain("secret");
  });
});

const inputs: BundleMirrorInputs = { jobId: "job-1", destination: "file:///srv/docs", layout: "archive" };
const state: BundleMirrorState = {
  ...inputs,
  url: "file:///srv/docs/job-1.tar.gz",
  sha256: "a".repeat(64),
  sizeBytes: 9,
  format: "tar.gz",
  version: "job-1",
  mirroredAt: "2026-03-01T00:00:00.000Z",
  __origin: "https://api.example.com",
  __owner: "this mirror",
  __publication: "0".repeat(32),
  __address: "file:///srv/docs/job-1.tar.gz",
};
const site: BundleMirrorState = { ...state, layout: "site" };

const kept = { ...unchanged, action: "update" };
const transferred = {
  ...kept,
  changingOutputs: ["url", "sha256", "sizeBytes", "format", "mirroredAt", "digest", "signedBy"],
};
const readdressed = { ...kept, changingOutputs: ["url"] };
const replaced = (name: string) => ({ action: "replace", replaces: [name] });
const jobUnknown = { jobId: unknown, version: unknown };
const differs = "2 files differ: a.html, b.css";
const limited = { maxBytes: 1024, waitTimeout: "1m" };

const table: [what: string, before: BundleMirrorState, changed: object, decision: object][] = [
  ["nothing", state, {}, unchanged],
  ["nothing of a site, with the version that a check fills in", site, { version: "job-1" }, unchanged],
  [
    "the job of an archive, which stays until the end",
    state,
    { jobId: "job-2" },
    { ...transferred, ...replaced("jobId") },
  ],
  ["the job of a site, which changes in place", site, { jobId: "job-2" }, transferred],
  ["the destination of an archive", state, { destination: "s3://docs" }, replaced("destination")],
  ["the destination of a site", site, { destination: "s3://docs" }, replaced("destination")],
  ["the layout of an archive", state, { layout: "site" }, replaced("layout")],
  ["the layout of a site", site, { layout: "archive" }, replaced("layout")],
  ["expectedSha256, to that of other bytes", state, { expectedSha256: "b".repeat(64) }, transferred],
  ["expectedSha256, to that of the same bytes", state, { expectedSha256: "A".repeat(64) }, kept],
  ["expectedSha256, which is removed", { ...state, expectedSha256: state.sha256 }, {}, kept],
  ["publicUrl", state, { publicUrl: "https://cdn.example.com" }, readdressed],
  ["maxBytes and waitTimeout", state, limited, kept],
  ["maxBytes and waitTimeout, which stay", { ...state, ...limited }, limited, unchanged],
  ["maxBytes and waitTimeout, which are removed", { ...state, ...limited }, {}, kept],
  [
    "what a refresh has found",
    { ...state, __difference: differs },
    {},
    { ...transferred, reason: `${differs}: will be repaired` },
  ],
  ["a destination that is not known yet", state, { destination: unknown }, replaced("destination")],
  ["the layout of a site, which is not known yet", site, { layout: unknown }, replaced("layout")],
  ["the job of an archive, which is not known yet", state, jobUnknown, { ...transferred, ...replaced("jobId") }],
  ["the job of a site, which is not known yet", site, jobUnknown, transferred],
  ["expectedSha256, which is not known yet", state, { expectedSha256: unknown }, transferred],
  ["publicUrl, which is not known yet", state, { publicUrl: unknown }, readdressed],
];

it.each(table)("the plan of a mirror for a change of %s", (_, before, changed, decision) => {
  const given = { ...inputs, layout: before.layout, ...changed };
  expect(planned("BundleMirror", before, given, 0)).toMatchObject(decision);
});

const bytes = gzipLike(30_000);
const sha256 = sha256Of(bytes);

it.each([
  ["an expectedSha256 that equals the stored one", { expectedSha256: sha256 }],
  ["the same in capitals", { expectedSha256: sha256.toUpperCase() }],
  ["a publicUrl", { publicUrl: "https://cdn.example.com/docs" }],
  ["what counts for a transfer only, also if the archive has more", { maxBytes: 1, waitTimeout: "1s" }],
])("an update of %s sends nothing, and looks at nothing", async (_, changed) => {
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
    const temporary = folderForTemporaryFiles();
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

it("a transfer keeps the archive for nobody else meanwhile, and removes it at every end", async () => {
  const archive = await archiveWith("tar.gz", first);
  const world = await siteWorld(archive);
  let seen: { folder: number; file: number } | undefined;
  world.context.status = (text) => {
    if (text.includes("verifying")) {
      const [name = ""] = readdirSync(world.temporary);
      const mode = (path: string) => statSync(path).mode & 0o777;
      seen = { folder: mode(join(world.temporary, name)), file: mode(join(world.temporary, name, "archive")) };
    }
  };
  await world.publish("job-1");
  expect(seen).toEqual({ folder: 0o700, file: 0o600 });
  expect(readdirSync(world.temporary)).toEqual([]);
});

describe.skipIf(!canMount())("on a file system that the test mounts (skipped without the right to)", () => {
  it("a full temporary folder is reported with the way to name another one, and nothing is published", async () => {
    const noise = gzipLike(3 * 1024 ** 2);
    const archive = await tarOf([{ name: "a.bin", content: noise }]);
    const world = await siteWorld(archive);
    vi.stubEnv("TMPDIR", mounted("size=1m"));
    const error = await rejection(world.publish("job-1"));
    expect(error).toBeInstanceOf(errors.DestinationError);
    expect(error.message).toContain(`the disk is full (ENOSPC, write): at least ${archive.length} bytes are needed`);
    expect(error.message).toContain("TMPDIR");
    expect(filesIn(world.folder)).toEqual([]);
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
