import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { BundleMirrorState } from "../../../../provider/definitions/bundleMirror";
import * as errors from "../../../../provider/support/errors";
import { rejection } from "../../../support/clientUnderTest";
import { planned } from "../../../support/decisions";
import { type MirrorWorld, mirrored, mirrorWorld } from "../../../support/mirror/mirrorWorld";
import { contentIn, filesIn, gzipLike, sha256Of, storage } from "../../../support/mirror/storage";
import { toldByHost } from "../../../support/toldByHost";
import { archiveWith } from "../mirror/archive/archives";

const { bundleMirror } = toldByHost;

const bytes = gzipLike(30_000);
const sha256 = sha256Of(bytes);
const other = gzipLike(20_000, 2);

/** Returns the state after a refresh and the update that follows it. */
async function refreshedAndUpdated(world: MirrorWorld, state: BundleMirrorState): Promise<BundleMirrorState> {
  const read = await bundleMirror.read("id", state, world.context);
  if (read === undefined) {
    throw new Error("the mirror is gone");
  }
  expect(planned("BundleMirror", read, world.inputs, 0).action).toBe("update");
  const updated = await bundleMirror.update("id", read, world.inputs, world.context);
  expect(planned("BundleMirror", updated, world.inputs, 0)).toMatchObject({ action: "none" });
  expect(await bundleMirror.read("id", updated, world.context)).toEqual(updated);
  return updated;
}

describe("an update without a transfer", () => {
  it.each([
    ["an expectedSha256 that equals the stored one", { expectedSha256: sha256 }],
    ["the same in capitals", { expectedSha256: sha256.toUpperCase() }],
    ["a publicUrl", { publicUrl: "https://cdn.example.com/docs" }],
    ["what counts for a transfer only", { maxBytes: 1, waitTimeout: "1s" }],
  ])("is one of %s: nothing is sent, and nothing is looked at", async (_, changed) => {
    const world = await mirrorWorld([storage(bytes)]);
    const state = await mirrored(world);
    rmSync(world.folder, { recursive: true });
    const updated = await bundleMirror.update("id", state, { ...world.inputs, ...changed }, world.context);
    expect(updated).toMatchObject({ ...changed, sha256, mirroredAt: state.mirroredAt });
    expect(world.platform.calls).toHaveLength(1);
    expect(await bundleMirror.update("id", updated, world.inputs, world.context)).toEqual(state);
  });
});

describe("an update to another expectedSha256", () => {
  it("transfers, and puts what has it", async () => {
    const world = await mirrorWorld([storage(bytes), storage(other)]);
    const state = await mirrored(world);
    const inputs = { ...world.inputs, expectedSha256: sha256Of(other) };
    expect(await bundleMirror.update("id", state, inputs, world.context)).toMatchObject({ sizeBytes: 20_000 });
    expect(readFileSync(join(world.folder, "job-1.tar.gz")).equals(other)).toBe(true);
  });
});

describe("a read", () => {
  it("changes nothing where all is as it was, sends nothing, and needs no setting", async () => {
    const world = await mirrorWorld([storage(bytes)]);
    const state = await mirrored(world);
    const settings = () => {
      throw new errors.ConfigurationError(["no setting"]);
    };
    expect(await bundleMirror.read("id", state, { ...world.context, settings, connect: settings })).toEqual(state);
    expect(world.platform.calls).toHaveLength(1);
    expect(world.server.requests).toHaveLength(1);
  });

  it("keeps an archive that is gone until its manifest is gone, too: its removal may have failed", async () => {
    const world = await mirrorWorld([storage(bytes)]);
    const state = await mirrored(world);
    rmSync(join(world.folder, "job-1.tar.gz"));
    expect(await bundleMirror.read("id", state, world.context)).toMatchObject({
      __difference: "1 file differs: job-1.tar.gz",
    });
    rmSync(world.folder, { recursive: true });
    expect(await bundleMirror.read("id", state, world.context)).toBeUndefined();
  });

  it.each<[string, (folder: string) => void]>([
    ["another byte", (folder) => writeFileSync(join(folder, "job-1.tar.gz"), gzipLike(30_000, 9))],
    ["no checksum", (folder) => rmSync(join(folder, "job-1.tar.gz.sha256"))],
    ["another checksum", (folder) => writeFileSync(join(folder, "job-1.tar.gz.sha256"), "x")],
    ["no manifest", (folder) => rmSync(join(folder, "job-1.json"))],
  ])("marks %s, transfers nothing, and the next update mends it", async (_, change) => {
    const world = await mirrorWorld([storage(bytes)]);
    const state = await mirrored(world);
    const before = contentIn(world.folder);
    change(world.folder);
    const read = await bundleMirror.read("id", state, world.context);
    expect(read).toEqual({ ...state, __difference: expect.any(String) });
    expect(world.server.requests).toHaveLength(1);
    expect(await refreshedAndUpdated(world, state)).toMatchObject({ sha256, sizeBytes: 30_000 });
    expect([world.platform.calls.length, world.server.requests.length]).toEqual([2, 2]);
    // A transfer is another publication, with another seal.
    expect({ ...contentIn(world.folder), "job-1.json": "" }).toEqual({ ...before, "job-1.json": "" });
  });

  it("that cannot look leaves the state alone", async () => {
    const world = await mirrorWorld([storage(bytes)]);
    const state = { ...(await mirrored(world)), destination: `file://${world.folder}/${"x".repeat(300)}` };
    const error = await rejection(bundleMirror.read("id", state, world.context));
    expect(error).toBeInstanceOf(errors.DestinationError);
    expect(error.message).toContain("nothing was changed");
  });
});

describe("an update of what a refresh has marked", () => {
  it("is refused under another origin, where the job is not known", async () => {
    const world = await mirrorWorld([storage(bytes)]);
    const state = { ...(await mirrored(world)), __origin: "https://old.example.com", __difference: "changed" };
    writeFileSync(join(world.folder, "job-1.tar.gz"), other);
    const error = await rejection(bundleMirror.update("id", state, world.inputs, world.context));
    expect(error).toBeInstanceOf(errors.OriginError);
    expect(world.platform.calls).toHaveLength(1);
  });

  it("leaves no archive of another format behind where the platform packs it otherwise now", async () => {
    const zip = await archiveWith("zip", [["index.html", "<h1>Docs</h1>"]]);
    const world = await mirrorWorld([storage(bytes), storage(zip)]);
    const state = await mirrored(world);
    writeFileSync(join(world.folder, "job-1.tar.gz"), other);
    const updated = await refreshedAndUpdated(world, state);
    expect(updated).toMatchObject({ format: "zip", url: expect.stringMatching(/job-1\.zip$/) });
    expect(filesIn(world.folder)).toEqual(["job-1.json", "job-1.zip", "job-1.zip.sha256"]);
  });
});
